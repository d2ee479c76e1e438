import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.Passkeys`: the passkeys of an account, for its owner, and the options of all
/// ceremonies (F-01). The gateway composes `signInWithPasskey`, of which `IdentitiesHandler` has
/// identity's part.
///
/// Attack: another person's passkey is renamed or removed by its id (Better Auth
/// GHSA-4vcf-q4xf-f48m). Every statement has the account of the session.
struct PasskeysHandler: IdentityPasskeysService, OwnerCallsHandler, AccountWriting {
    let check: PasskeyCheck
    let owners: SessionOwners
    let calls: AccountCalls
    /// Finds the challenges of sign-ins.
    let secondProofs: SecondProofsHandler

    var settings: IdentitySettings { check.settings }
    var store: Store { check.store }
    var writer: AccountWriter { check.writer }
}

extension PasskeysHandler {
    /// Begins a sign-in. It takes no address: options for one would tell who has an account (X-02;
    /// Hanko #667). It writes nothing, so no one can fill a table by it.
    func beginPasskeySignIn(
        _ request: GatewayV1.BeginPasskeySignInRequest, _ context: CallContext
    ) async throws -> GatewayV1.BeginPasskeySignInResponse {
        try context.requireGateway()
        let relyingParty = try check.required()
        let (challenge, end) = check.challenges(relyingParty).issue(for: .signIn)
        return GatewayV1.BeginPasskeySignInResponse(
            options: GatewayV1.PasskeyRequestOptions(
                challenge, of: relyingParty.id, allowing: []),
            expiresAtMs: end.milliseconds)
    }

    /// Begins a proof: of a challenge, whose caller has given the first proof on this device, or in
    /// a session. Only these learn which passkeys the account has.
    func beginPasskeyProof(
        _ request: GatewayV1.BeginPasskeyProofRequest, _ context: CallContext
    ) async throws -> GatewayV1.BeginPasskeyProofResponse {
        try context.requireGateway()
        let relyingParty = try check.required()
        // Also where a challenge is answered: an access token that is not valid is said to be so.
        let owner = try await owners.optionalOwner(in: context)
        let (account, purpose) =
            request.challenge.isEmpty
            ? try Self.proofInSession(of: owner)
            : try await proofOfChallenge(request, context)
        let (row, passkeys) = try await store.read {
            (try $0.callersRow(account), try $0.passkeys(of: account))
        }
        let vault = try reader.vault(row)
        let usable = try passkeys.filter { $0.relyingParty == relyingParty.id.text }
            .map { try $0.details(vault) }
        guard !usable.isEmpty else { throw ServiceError(.operationNotAllowed) }
        let (challenge, end) = check.challenges(relyingParty).issue(for: purpose)
        return GatewayV1.BeginPasskeyProofResponse(
            options: GatewayV1.PasskeyRequestOptions(
                challenge, of: relyingParty.id, allowing: usable),
            expiresAtMs: end.milliseconds)
    }

    private static func proofInSession(
        of owner: SessionOwner?
    ) throws(ServiceError) -> (AccountID, PasskeyChallenge.Purpose) {
        guard let owner else { throw ServiceError(.invalidAccessToken) }
        return (owner.account, .sessionProof(try owner.sessionID()))
    }

    private func proofOfChallenge(
        _ request: GatewayV1.BeginPasskeyProofRequest, _ context: CallContext
    ) async throws -> (AccountID, PasskeyChallenge.Purpose) {
        guard let token = ChallengeToken(text: request.challenge) else {
            throw ServiceError(.invalidChallenge)
        }
        let device = ChallengedCall(
            context, deviceID: request.device?.deviceId ?? "", keys
        ).device
        let now = check.time.now()
        let account = try await store.read { session in
            let found = try secondProofs.found(token, on: device, in: session, at: now)
            guard found.challenge.kinds.contains(.passkey) else {
                throw ServiceError(.operationNotAllowed)
            }
            return found.row.account
        }
        return (account, .signInProof(token.hash(keys)))
    }

    /// Lists the passkeys of the caller's account; none for a guest.
    func listPasskeys(
        _ request: GatewayV1.ListPasskeysRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.ListPasskeysResponse {
        let account = call.owner.account
        let (row, passkeys) = try await store.read {
            (try $0.callersRow(account), try $0.passkeys(of: account))
        }
        return GatewayV1.ListPasskeysResponse(
            passkeys: try messages(passkeys, of: row),
            userHandle: Base64URL.encode(keys.passkeyHandle(of: account)),
            rpId: check.relyingParty?.id.text ?? "")
    }

    /// Gives a passkey another name.
    func renamePasskey(
        _ request: GatewayV1.RenamePasskeyRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.RenamePasskeyResponse {
        try call.known.requireForFactors()
        guard !request.name.isEmpty, PasskeyName.isValid(request.name) else {
            throw ServiceError(.invalidArgument, fields: ["name"])
        }
        let passkey = PasskeyID(text: request.passkeyId)
        let account = call.owner.account
        let (row, renamed) = try await store.write(about: [.account(account)]) {
            transaction -> (AccountRow, PasskeyRow) in
            let row = try transaction.callersRow(account)
            try transaction.requireLive(call.owner)
            let isRepeat = try transaction.storedResponse(of: call.frame.repeatable) != nil
            let found = try transaction.passkeys(of: account).first { $0.passkey == passkey }
            guard let found else { throw ServiceError(.notFound, fields: ["passkey_id"]) }
            if isRepeat { return (row, found) }
            let vault = try reader.vault(row)
            var details = try found.details(vault)
            details.name = request.name
            try transaction.setDetails(
                vault.seal(details.encoded(), .passkeyDetails(found.passkey)), of: found)
            try transaction.audit(.passkeyRenamed, account, from: call.frame.origin)
            try transaction.remember(call.frame.repeatable, .init(account: account.key))
            let after = try transaction.passkeys(of: account).first { $0.passkey == passkey }
            return (row, after ?? found)
        }
        return GatewayV1.RenamePasskeyResponse(
            passkey: try renamed.message(reader.vault(row), at: check.relyingParty?.id))
    }

    /// Removes a passkey, but never the last way to sign in, and never the last second factor where
    /// the operator requires one. All other sessions end, as with any method that is removed
    /// (`unlinkMethod`).
    func removePasskey(
        _ request: GatewayV1.RemovePasskeyRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.RemovePasskeyResponse {
        try call.known.requireForFactors()
        let passkey = PasskeyID(text: request.passkeyId)
        let removal = MethodCall(
            of: call.owner, from: call.frame.origin, on: request.device, call.frame.repeatable)
        let account = call.owner.account
        let outcome = try await store.write(about: [.account(account)]) {
            try removed(passkey, removal, $0)
        }
        let (row, left) = try outcome.get()
        return GatewayV1.RemovePasskeyResponse(passkeys: try messages(left, of: row))
    }

    /// - Returns: the account and its passkeys after it; a rejection after it was recorded.
    private func removed(
        _ passkey: PasskeyID?, _ call: MethodCall, _ transaction: Transaction
    ) throws -> Result<(AccountRow, [PasskeyRow]), ServiceError> {
        let account = call.owner.account
        let row = try transaction.callersRow(account)
        try transaction.requireLive(call.owner)
        let passkeys = try transaction.passkeys(of: account)
        if try transaction.storedResponse(of: call.repeatable) != nil {
            return .success((row, passkeys))
        }
        guard let found = passkeys.first(where: { $0.passkey == passkey }) else {
            throw ServiceError(.notFound, fields: ["passkey_id"])
        }
        let left = passkeys.filter { $0.passkey != passkey }
        let refusal = PasskeyRemovalRule.refusal(
            methods: settings.opening(row.methods), passkeysLeft: left.count,
            usableLeft: left.count { $0.relyingParty == check.relyingParty?.id.text },
            hasSecondFactor: try transaction.hasSecondFactor(account),
            isFactor: settings.countsPasskeys)
        if let refusal {
            return .failure(
                try transaction.refusal(
                    refusal, .passkeyRefused, of: row, from: call.origin,
                    within: settings.newcomers))
        }
        try PasskeyRemoval(writer: writer, transaction: transaction)
            .run([found], from: row, call.device, origin: call.origin, except: call.owner.session)
        try transaction.endSessions(
            of: account, provedUntil: transaction.at, except: call.owner.session, outbox)
        try transaction.remember(call.repeatable, .init(account: account.key))
        return .success((try transaction.callersRow(account), left))
    }

    /// Passkeys as their owner sees them.
    func messages(_ passkeys: [PasskeyRow], of row: AccountRow) throws -> [GatewayV1.Passkey] {
        let vault = try reader.vault(row)
        return try passkeys.map { try $0.message(vault, at: check.relyingParty?.id) }
    }
}

extension GatewayV1.RemovePasskeyRequest: DeviceRequest {}
extension GatewayV1.AddPasskeyRequest: DeviceRequest {}

extension SessionOwner {
    /// The session's id.
    /// - Throws: `rpc/internal` for a malformed one.
    func sessionID() throws(ServiceError) -> SessionID {
        guard let id = SessionID(text: session) else {
            throw ServiceError(.internalError, detail: "a session without a valid id")
        }
        return id
    }
}
