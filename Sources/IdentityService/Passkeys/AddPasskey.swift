import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension PasskeysHandler {
    /// Begins the addition of a passkey. It writes nothing: one that is never made leaves nothing
    /// behind.
    func beginPasskeyAdd(
        _ request: GatewayV1.BeginPasskeyAddRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.BeginPasskeyAddResponse {
        try call.known.requireForFactors()
        let relyingParty = try check.required()
        let account = call.owner.account
        let (row, passkeys) = try await store.read {
            (try $0.callersRow(account), try $0.passkeys(of: account))
        }
        guard passkeys.count < PasskeyRow.countMax else { throw ServiceError(.passkeyQuota) }
        let vault = try reader.vault(row)
        let (challenge, end) = check.challenges(relyingParty).issue(
            for: .adding(
                account, try call.owner.sessionID(), isAutomatic: request.automatic))
        let display = try vault.open(row.sealedDisplayName, .displayName)
        let name = try self.name(of: row)
        let usable = passkeys.filter { $0.relyingParty == relyingParty.id.text }
        return GatewayV1.BeginPasskeyAddResponse(
            options: GatewayV1.PasskeyCreationOptions(
                challenge, of: relyingParty.id, app: settings.appName,
                user: GatewayV1.PasskeyUser(
                    id: Base64URL.encode(keys.passkeyHandle(of: account)), name: name,
                    displayName: display.isEmpty ? name : display),
                excluding: try usable.map { try $0.details(vault) },
                isAutomatic: request.automatic),
            expiresAtMs: end.milliseconds)
    }

    /// How a device names the account: by its address, or by its number.
    private func name(of row: AccountRow) throws -> String {
        if let address = try reader.address(row) { return address.entered }
        return try reader.phoneNumber(row)?.text ?? row.account.text
    }

    /// Adds a passkey (F-01): verifies the registration, and in one transaction counts, uses the
    /// challenge up, writes and tells the owner.
    ///
    /// Attack: a stranger registers the credential of a victim with an account of their own, and
    /// the victim is signed in to it. A credential belongs to one account: the unique index
    /// decides.
    ///
    /// Attack: a thief of the password adds a passkey, which outlives a reset of the password. The
    /// mail about it has a link that removes it (`disownSignIn`). One that a factor or another
    /// passkey has confirmed has none.
    ///
    /// A repeat is looked up before a recent proof is required: the first call may have changed
    /// what that is. It has no recovery codes.
    func addPasskey(
        _ request: GatewayV1.AddPasskeyRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.AddPasskeyResponse {
        if let again = try await answerAgain(call) { return again }
        try call.known.requireForFactors()
        let relyingParty = try check.required()
        guard request.name.isEmpty || PasskeyName.isValid(request.name) else {
            throw ServiceError(.invalidArgument, fields: ["name"])
        }
        let addition: PasskeyAddition
        switch try verified(request, call, at: relyingParty) {
        case .success(let verified): addition = verified
        case .failure(let reason):
            throw try await check.recorded(
                .refused(reason, of: call.owner.account), from: call.frame.origin)
        }
        let outcome: Result<Added?, ServiceError>
        do {
            outcome = try await store.write(about: [.account(call.owner.account)]) {
                try add(addition, $0)
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // On an engine with several writers another account can get it in between.
            throw ServiceError(.credentialAlreadyInUse)
        }
        // The first of two calls at once was committed meanwhile.
        guard let added = try outcome.get() else {
            guard let again = try await answerAgain(call) else {
                throw ServiceError(.idempotencyKeyReused)
            }
            return again
        }
        return GatewayV1.AddPasskeyResponse(
            passkey: try messages([added.passkey], of: added.row).first,
            recoveryCodes: added.codes.map(\.shown))
    }

    /// - Returns: nil for a new call.
    private func answerAgain(
        _ call: OwnerCall
    ) async throws -> GatewayV1.AddPasskeyResponse? {
        guard call.frame.repeatable != nil else { return nil }
        let (now, account) = (check.time.now(), call.owner.account)
        let found = try await store.read { session -> (AccountRow, PasskeyRow)? in
            guard let first = try session.storedResponse(of: call.frame.repeatable, at: now)
            else { return nil }
            try session.requireLive(call.owner)
            let row = try session.callersRow(account)
            guard
                let passkey = try session.passkeys(of: account)
                    .first(where: { $0.passkey.key == first.passkey })
            else { throw ServiceError(.idempotencyKeyReused) }
            return (row, passkey)
        }
        guard let (row, passkey) = found else { return nil }
        return GatewayV1.AddPasskeyResponse(passkey: try messages([passkey], of: row).first)
    }

    /// Verifies a registration.
    private func verified(
        _ request: GatewayV1.AddPasskeyRequest, _ call: OwnerCall,
        at relyingParty: PasskeyRelyingParty
    ) throws -> Result<PasskeyAddition, PasskeyRefusal> {
        let (account, session) = (call.owner.account, try call.owner.sessionID())
        let credential = request.credential ?? GatewayV1.PasskeyRegistration()
        do throws(PasskeyRefusal) {
            let response = try RegistrationResponse(credential)
            let (challenge, nonce) = try check.challenges(relyingParty).read(
                response.clientData.challenge,
                for: [
                    .adding(account, session, isAutomatic: false),
                    .adding(account, session, isAutomatic: true),
                ], at: check.time.now())
            let passkey = try PasskeyRule.registered(
                by: response, answering: challenge, at: relyingParty)
            return .success(
                PasskeyAddition(
                    passkey, nonce, request, of: call, at: relyingParty.id,
                    handle: keys.passkeyHandle(of: account)))
        } catch {
            return .failure(error)
        }
    }

    /// What an addition has written.
    private struct Added: Sendable {
        /// The account after it.
        let row: AccountRow
        let passkey: PasskeyRow
        /// None but with the first second factor.
        let codes: [RecoveryCode]
    }

    /// - Returns: nil if the call is a repeat; a rejection after it was recorded.
    private func add(
        _ addition: PasskeyAddition, _ transaction: Transaction
    ) throws -> Result<Added?, ServiceError> {
        guard try transaction.storedResponse(of: addition.call.repeatable) == nil else {
            return .success(nil)
        }
        let account = addition.call.owner.account
        let row = try transaction.callersRow(account)
        try transaction.requireLive(addition.call.owner)
        let passkeys = try transaction.passkeys(of: account)
        if let code = try refusal(of: addition, beside: passkeys, transaction) {
            return .failure(
                try transaction.refusal(
                    code, .passkeyRefused, of: row, from: addition.call.origin,
                    within: settings.newcomers))
        }
        let isFirstFactor =
            try settings.countsPasskeys && !transaction.hasSecondFactor(account)
            && !transaction.hasPasskeyAsFactor(account, settings)
        let id = PasskeyID.drawn(from: randomness)
        try transaction.insert(
            NewStoredPasskey(
                addition.details, as: id, of: addition.relyingParty.text,
                signCount: addition.passkey.signCount, backup: addition.passkey.backup,
                in: reader.vault(row), keys), of: account)
        try transaction.audit(.passkeyAdded, account, from: addition.call.origin)
        var values: [MailValue] = [.method(.passkey)]
        if addition.isConfirmed { values.append(.notMeLink(nil)) }
        try notices.write(
            .methodAdded, to: row, addition.call.device, with: values,
            except: addition.call.owner.session, about: id.text, transaction)
        let codes =
            isFirstFactor
            ? try writer.makeRecoveryCodes(of: account, from: addition.call.origin, transaction)
            : []
        try transaction.remember(
            addition.call.repeatable, .init(account: account.key, passkey: id.key))
        guard
            let added = try transaction.passkeys(of: account).first(where: { $0.passkey == id })
        else { throw ServiceError(.internalError, detail: "a passkey was not stored") }
        return .success(
            Added(row: try transaction.callersRow(account), passkey: added, codes: codes))
    }

    /// Why an addition is refused; nil if it is not. Its challenge is used then.
    private func refusal(
        of addition: PasskeyAddition, beside passkeys: [PasskeyRow], _ transaction: Transaction
    ) throws -> ErrorCode? {
        guard passkeys.count < PasskeyRow.countMax else { return .passkeyQuota }
        let lookUpKey = keys.lookUpKey(ofCredential: addition.passkey.id)
        guard try transaction.passkey(lookUpKey: lookUpKey) == nil else {
            return .credentialAlreadyInUse
        }
        return try transaction.use(addition.nonce) ? nil : .invalidPasskey
    }
}

/// A registration that was verified, and not yet written.
private struct PasskeyAddition: Sendable {
    let passkey: NewPasskey
    let nonce: UsedNonce
    let details: IdentityV1.StoredPasskey
    let relyingParty: PasskeyRPID
    let call: MethodCall
    /// A second factor, a recovery code or another passkey has confirmed it.
    let isConfirmed: Bool

    /// Within which time the proof was given that confirms it, as `RecentProof.standard` asks for
    /// it.
    private static let confirming = RecentProof(
        within: RecentProof.standard.within, kinds: [.totp, .recoveryCode, .passkey],
        assurance: .atLeast(.aal2))

    init(
        _ passkey: NewPasskey, _ nonce: UsedNonce, _ request: GatewayV1.AddPasskeyRequest,
        of call: OwnerCall, at relyingParty: PasskeyRPID, handle: [UInt8]
    ) {
        self.passkey = passkey
        self.nonce = nonce
        self.relyingParty = relyingParty
        self.call = MethodCall(
            of: call.owner, from: call.frame.origin, on: request.device, call.frame.repeatable)
        details = IdentityV1.StoredPasskey(
            credentialId: passkey.id, publicKey: passkey.key, userHandle: handle,
            aaguid: passkey.aaguid,
            transports: PasskeyTransports.kept(request.credential?.response?.transports ?? []),
            name: PasskeyName.text(
                request.name, aaguid: passkey.aaguid, on: request.device,
                from: call.frame.origin))
        let proofs = call.known.proofs
        isConfirmed =
            Self.confirming.found(
                in: proofs.proofs, highest: .aal2, at: Timestamp(milliseconds: proofs.nowMs)) != nil
    }
}
