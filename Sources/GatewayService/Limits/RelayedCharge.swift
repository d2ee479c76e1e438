import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// What a call is charged before it is passed on (`postern.options.v1.limit`).
struct RelayedCharge {
    /// The charge of the call; nil for none.
    let action: LimitedAction?
    /// What the call has in common with its repeats, which share `action`; nil if each is charged.
    var repeatKey: String?
    /// Who pays for work on documents; nil for a call that does none.
    var account: String?
    /// The units of `DocumentWork` that the request shows; 0 where a call costs none.
    var units = 0
    /// How many of them are part of `action`.
    var paid: Int { action == nil ? 0 : min(units, 1) }
}

extension MethodDescription {
    /// The charge of a call; nil for a method without a limit, and where the limit is about an
    /// account and the caller has none.
    /// - Parameters:
    ///   - request: of an upload its first item.
    ///   - idempotencyKey: of the call to the owner.
    ///   - account: The account of the caller's session. It is read only where the limit is about
    ///     one.
    /// - Throws: as `LimitedCaller` and `account`; `MessageError` for a request that does not
    ///   decode.
    func charge(
        _ request: OutgoingRequest.Payload, _ context: CallContext, idempotencyKey: String?,
        account: () async throws -> String?
    ) async throws -> RelayedCharge? {
        var charge = try await charge(request, context, account: account)
        switch limit {
        // Each removal is charged, as each refused one is a row of the audit trail. A deletion and
        // the calls of backends have keys of their own.
        case .unlink, .deletion, .push, .backendAccount: break
        default: charge?.repeatKey = idempotencyKey
        }
        return charge
    }

    private func charge(
        _ request: OutgoingRequest.Payload, _ context: CallContext,
        account: () async throws -> String?
    ) async throws -> RelayedCharge? {
        switch limit {
        case nil: return nil
        case .passwordCheck:
            return RelayedCharge(action: .passwordCheck(caller: try LimitedCaller(context)))
        case .documentWrite:
            guard let account = try await account() else { return nil }
            return try .documentWrite(of: account, self, request)
        case .documentWork:
            return try await account().map {
                RelayedCharge(action: nil, account: $0, units: 1)
            }
        case .profileUpdate:
            return try await account().map { RelayedCharge(action: .profileUpdate(account: $0)) }
        case .unlink:
            return try await account().map { RelayedCharge(action: .documentWrite(account: $0)) }
        // An upload that begins otherwise is refused before anything is received of it.
        case .photoUpload:
            let first: GatewayV1.UploadPhotoRequest = try request.decoded()
            guard case .bytes = first.part else { return nil }
            return try await account().map { RelayedCharge(action: .photoUpload(account: $0)) }
        case .guestBundle:
            let first: GatewayV1.UploadGuestBundleRequest = try request.decoded()
            guard case .head = first.part else { return nil }
            return try await account().map { RelayedCharge(action: .guestBundle(account: $0)) }
        case .deletion: return try await deletionCharge(request, account: account)
        case .pushDevice:
            return try await account().map { RelayedCharge(action: .pushDevice(account: $0)) }
        case .push: return try pushCharge(request)
        case .backendAccount: return try backendCharge(request, context)
        }
    }

    /// A backend has no session: the account is the one that its request names. Identity refuses a
    /// request without a valid one, which is not charged, and a token that is not for the request,
    /// whose charge is refunded (`ChargeSettlement`).
    ///
    /// Attack: a backend pushes without end, with one idempotency key in its calls and another in
    /// each token, which is the one that identity looks at. As repeats of one call they would be
    /// charged once. So the charge is shared by what has the same token, which has one effect.
    private func pushCharge(_ request: OutgoingRequest.Payload) throws -> RelayedCharge? {
        let request: GatewayV1.SendPushMessageRequest = try request.decoded()
        guard let call = request.call, let account = AccountID(text: call.accountId) else {
            return nil
        }
        return RelayedCharge(
            action: .push(account: account.text), repeatKey: call.chargeKey(of: self))
    }

    /// The backend pays for its calls about accounts. What only reads has no effect that a repeat
    /// shares, so each is charged.
    private func backendCharge(
        _ request: OutgoingRequest.Payload, _ context: CallContext
    ) throws -> RelayedCharge {
        let call = try isIdempotent ? nil : request.backendCall(of: self)
        return RelayedCharge(
            action: .backendAccount(application: context.application),
            repeatKey: call?.chargeKey(of: self))
    }

    /// A mailed link cannot be guessed and has been charged when it was requested. In a session the
    /// charge bounds the mails of an owner who requests and cancels in turns; identity knows a repeat
    /// by its confirmation token, so it is charged once.
    private func deletionCharge(
        _ request: OutgoingRequest.Payload, account: () async throws -> String?
    ) async throws -> RelayedCharge? {
        let request: GatewayV1.RequestDeletionRequest = try request.decoded()
        guard request.linkToken.isEmpty, let account = try await account() else { return nil }
        let key = Hex.encode(
            SHA256.hash(Array("RequestDeletion\0\(request.confirmationToken)".utf8)))
        return RelayedCharge(action: .deletion(account: account), repeatKey: key)
    }
}

extension RelayedCharge {
    fileprivate static func documentWrite(
        of account: String, _ method: MethodDescription, _ request: OutgoingRequest.Payload
    ) throws -> RelayedCharge {
        let writes: [GatewayV1.DocumentWrite]
        switch method {
        case DocumentsDescription.writeDocument:
            let request: GatewayV1.WriteDocumentRequest = try request.decoded()
            guard let write = request.write else {
                throw ServiceError(.invalidArgument, fields: ["write"])
            }
            writes = [write]
        case DocumentsDescription.writeDocuments:
            let request: GatewayV1.WriteDocumentsRequest = try request.decoded()
            writes = request.writes
        case DocumentsDescription.removeDocument:
            let request: GatewayV1.RemoveDocumentRequest = try request.decoded()
            return RelayedCharge(
                action: .documentWrite(account: account, collections: [request.collection]))
        case GuestsDescription.retryMigration:
            return RelayedCharge(
                action: .documentWrite(account: account, units: LimitedAction.migrationUnits))
        // Writes a few rows of other kinds.
        default: return RelayedCharge(action: .documentWrite(account: account))
        }
        return RelayedCharge(
            action: .documentWrite(
                account: account, collections: writes.map(\.collection), units: 1),
            account: account, units: DocumentWork.units(of: writes.lazy.map(\.json.utf8.count)))
    }
}

extension GatewayV1.BackendCall {
    /// What a backend's call has in common with those that have the same effect: its token.
    func chargeKey(of method: MethodDescription) -> String {
        var bytes = applicationToken.withBytes { Array("\(method.rpcName)\0".utf8) + $0 }
        defer { wipe(&bytes) }
        return Hex.encode(SHA256.hash(bytes))
    }
}

extension OutgoingRequest.Payload {
    /// The proof in a backend's request; nil without one.
    fileprivate func backendCall(
        of method: MethodDescription
    ) throws -> GatewayV1.BackendCall? {
        switch method {
        case BackendAccountsDescription.deleteManagedAccount:
            (try decoded() as GatewayV1.DeleteManagedAccountRequest).call
        case BackendAccountsDescription.setAccountClaims:
            (try decoded() as GatewayV1.SetAccountClaimsRequest).call
        case BackendAccountsDescription.issueLink:
            (try decoded() as GatewayV1.IssueLinkRequest).call
        default: nil
        }
    }

    fileprivate func decoded<Request: ProtobufMessage>() throws -> Request {
        try withBytes { try Request.decode($0, in: Arena()) }
    }
}
