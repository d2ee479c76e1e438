import Contracts
import Cryptography
import Logging
import Messages
import ServiceRuntime
import Storage

/// Verifies responses of passkeys, and uses them up: what sign-ins, recent proofs, second proofs
/// and additions share (F-01).
///
/// A signature is verified before the transaction, which reads passkey and account again: one that
/// was removed meanwhile opens nothing. The challenge is used by the transaction that succeeds.
struct PasskeyCheck: AccountWriting, Sendable {
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let refusals: PasskeyRefusals
    /// Nil where passkeys are switched off.
    let relyingParty: PasskeyRelyingParty?

    init(
        settings: IdentitySettings, store: Store, writer: AccountWriter, time: any Time,
        logger: Logger
    ) {
        self.settings = settings
        self.store = store
        self.writer = writer
        self.time = time
        refusals = PasskeyRefusals(time: time, logger: logger)
        relyingParty = settings.passkeyRelyingParty
    }

    /// - Throws: `auth/operation-not-allowed` where passkeys are switched off.
    func required() throws(ServiceError) -> PasskeyRelyingParty {
        guard let relyingParty else { throw ServiceError(.operationNotAllowed) }
        return relyingParty
    }

    /// Issues and reads challenges.
    func challenges(_ relyingParty: PasskeyRelyingParty) -> PasskeyChallenges {
        PasskeyChallenges(
            key: keys.passkeyChallenges, relyingParty: relyingParty.id, time: time,
            randomness: randomness)
    }
}

/// A signature by a passkey that was verified, and not yet used.
struct VerifiedPasskey: Sendable {
    /// As it was read for the verification.
    let row: PasskeyRow
    let lookUpKey: [UInt8]
    let use: PasskeyUse
    let nonce: UsedNonce

    /// What it proves, as sessions and tokens show it.
    var authentication: Authentication {
        use.backup.contains(.backupEligible) ? .softwarePasskey : .hardwarePasskey
    }
}

/// Why a response of a passkey is not accepted.
enum PasskeyFailure: Error, Hashable, Sendable {
    /// No account has the passkey.
    case unknown
    /// It was refused. The account is nil where the response does not say whose passkey it is.
    case refused(PasskeyRefusal, of: AccountID?)

    /// What the caller learns.
    var code: ErrorCode {
        switch self {
        case .unknown: .unknownPasskey
        case .refused: .invalidPasskey
        }
    }
}

/// What the use of a signature came to.
enum PasskeyOutcome: Hashable, Sendable {
    case used
    /// The passkey changed since: verify again.
    case changed
    /// The challenge was used before.
    case refused
}

extension PasskeyCheck {
    /// Verifies a signature.
    /// - Parameters:
    ///   - purposes: What the challenge may have been issued for.
    ///   - account: Whose passkeys were asked for; nil if none were named.
    /// - Throws: `auth/operation-not-allowed`; what the store throws.
    func verified(
        _ credential: GatewayV1.PasskeyAssertion?, for purposes: [PasskeyChallenge.Purpose],
        of account: AccountID?
    ) async throws -> Result<VerifiedPasskey, PasskeyFailure> {
        let relyingParty = try required()
        let response: AssertionResponse
        do {
            response = try AssertionResponse(credential ?? GatewayV1.PasskeyAssertion())
        } catch {
            return .failure(.refused(error, of: nil))
        }
        let lookUpKey = keys.lookUpKey(ofCredential: response.id)
        let found = try await store.read { session -> (PasskeyRow, [UInt8])? in
            guard let row = try session.passkey(lookUpKey: lookUpKey),
                let sealedKey = try session.sealedKey(of: row.account)
            else { return nil }
            return (row, sealedKey)
        }
        guard let (row, sealedKey) = found else { return .failure(.unknown) }
        let known = row.known(
            try row.details(reader.vault(of: row.account, sealedKey: sealedKey)))
        let allowed = account.map { $0 == row.account ? [known.id] : [] }
        do {
            let (challenge, nonce) = try challenges(relyingParty).read(
                response.clientData.challenge, for: purposes, at: time.now())
            let use = try PasskeyRule.use(
                of: known, by: response, answering: challenge, allowed: allowed, at: relyingParty)
            return .success(
                VerifiedPasskey(row: row, lookUpKey: lookUpKey, use: use, nonce: nonce))
        } catch {
            return .failure(.refused(error, of: row.account))
        }
    }

    /// Uses a signature up, and records it. A count that does not rise, and a changed BE, are
    /// recorded and never refused.
    ///
    /// Attack: a passkey was copied from its device. Where it counts, one of the two falls behind;
    /// the owner hears of it.
    /// - Parameter device: Of the call, for the notice.
    /// - Throws: `SQLError`; if sealing a notice fails.
    func use(
        _ verified: VerifiedPasskey, on device: DeviceShown, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> PasskeyOutcome {
        guard let row = try transaction.passkey(lookUpKey: verified.lookUpKey),
            row.passkey == verified.row.passkey, row.account == verified.row.account,
            row.sealedDetails == verified.row.sealedDetails
        else { return .changed }
        guard try transaction.use(verified.nonce) else { return .refused }
        // Another signature may have been recorded since.
        let use = PasskeyUse(
            signCount: verified.use.signCount, backup: verified.use.backup, after: row.signCount,
            row.backup)
        try transaction.record(use, of: row)
        if use.isCounterBehind {
            try transaction.audit(.passkeyCounterBehind, row.account, from: origin)
            try notices.write(.passkeyCounterBehind, to: row.account, device, transaction)
        }
        if use.hasBackupChanged {
            try transaction.audit(.passkeyBackupChanged, row.account, from: origin)
        }
        return .used
    }

    /// The error of a failure, which is counted. To be called after the commit.
    func error(of failure: PasskeyFailure) -> ServiceError {
        if case .refused(let reason, _) = failure { refusals.count(reason) }
        return ServiceError(failure.code)
    }

    /// Records a failure: in the account's audit trail, or as a count where there is no account.
    /// - Returns: the error to throw.
    func recorded(
        _ failure: PasskeyFailure, from origin: CallOrigin
    ) async throws -> ServiceError {
        try await store.write(about: [], evenIfCancelled: true) { transaction in
            if case .refused(_, of: let account?) = failure {
                try transaction.audit(
                    .passkeyRefused, account, from: origin, outcome: failure.code)
            } else {
                try transaction.auditCounted(.passkeyRefused, outcome: failure.code, from: origin)
            }
        }
        return error(of: failure)
    }
}

extension AssertionResponse {
    /// Decodes a request.
    /// - Throws: as the other `init`.
    init(_ credential: GatewayV1.PasskeyAssertion) throws(PasskeyRefusal) {
        let response = credential.response ?? GatewayV1.PasskeySignature()
        try self.init(
            id: credential.id, rawID: credential.rawId, type: credential.type,
            clientDataJSON: response.clientDataJson,
            authenticatorData: response.authenticatorData, signature: response.signature,
            userHandle: response.userHandle)
    }
}

extension RegistrationResponse {
    /// Decodes a request.
    /// - Throws: as the other `init`.
    init(_ credential: GatewayV1.PasskeyRegistration) throws(PasskeyRefusal) {
        let response = credential.response ?? GatewayV1.PasskeyAttestation()
        try self.init(
            id: credential.id, rawID: credential.rawId, type: credential.type,
            clientDataJSON: response.clientDataJson,
            attestationObject: response.attestationObject)
    }
}

extension GatewayV1.PasskeyAssertion {
    /// What a repeat of the call with the same idempotency key must prove too: a keyed hash of all
    /// of it.
    func evidence(_ keys: IdentityKeys) -> [UInt8] {
        keys.challenges.lookUpKey(Array("passkey\0".utf8) + encoded())
    }
}
