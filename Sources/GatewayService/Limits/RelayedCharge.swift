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
        // Each removal is charged, as each refused one is a row of the audit trail. A deletion has
        // a key of its own.
        case .unlink, .deletion: break
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
        }
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

extension OutgoingRequest.Payload {
    fileprivate func decoded<Request: ProtobufMessage>() throws -> Request {
        try withBytes { try Request.decode($0, in: Arena()) }
    }
}
