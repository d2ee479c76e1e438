import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension SecondProofsHandler {
    /// Re-authenticates the owner of the calling session by a code of an authenticator app, or by a
    /// recovery code (G-13, F-03, F-04; for a passkey, `proveByPasskey`): resolves the access
    /// token, compares, uses the code up, issues a proof of aal2 that opens no session.
    ///
    /// A wrong code is recorded, and no other account's code is right: each is compared with what the
    /// account of the token has.
    ///
    /// Attack: somebody with a stolen access token tries codes, with deadlines that leave no record.
    /// The transaction goes on when its caller has gone, and the gateway has charged the guess before.
    func proveBySecondFactor(
        _ request: GatewayV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> IdentityV1.ProveBySecondFactorResponse {
        try context.requireGateway()
        if case .passkey(let credential) = request.proof {
            return try await proveByPasskey(credential, request, context)
        }
        let (kind, typed) = try Self.factor(in: request.proof)
        let owner = try await owners.owner(in: context)
        let attempt = try FactorAttempt(request, kind, typed, by: owner, context, keys)
        let proved = try await store.write(
            about: [.account(owner.account)], evenIfCancelled: true
        ) { try self.prove(attempt, $0) }.get()
        return IdentityV1.ProveBySecondFactorResponse(
            proof: proofs.reauthentication(
                of: owner, proved.row, by: attempt.authentication,
                authenticatedAt: proved.authenticatedAt, provedAt: proved.at),
            recoveryCodesLeft: UInt32(clamping: proved.recoveryCodesLeft))
    }

    /// The kind of a proof, and the code as it was typed.
    /// - Throws: `rpc/invalid-argument` for a proof of another kind.
    private static func factor(
        in proof: GatewayV1.ReauthenticateRequest.Proof?
    ) throws(ServiceError) -> (SecondProofKind, SecretBytes) {
        switch proof {
        case .totpCode(let typed): (.totp, typed)
        case .recoveryCode(let typed): (.recoveryCode, typed)
        case .password, .deviceKey, .providerToken, .phoneCode, .passkey, nil:
            throw ServiceError(.invalidArgument, fields: ["proof"])
        }
    }

    /// What a right proof came to.
    private struct Proved: Sendable {
        let row: AccountRow
        /// Of the first call; nil if this is it.
        let authenticatedAt: Timestamp?
        /// The time of the transaction.
        let at: Timestamp
        /// 0 unless it was a recovery code.
        let recoveryCodesLeft: Int
    }

    /// - Returns: a rejection after it was recorded. It is thrown after the commit.
    private func prove(
        _ attempt: FactorAttempt, _ transaction: Transaction
    ) throws -> Result<Proved, ServiceError> {
        let account = attempt.owner.account
        try transaction.requireLive(attempt.owner)
        let row = try transaction.callersRow(account)
        let first = try transaction.storedResponse(of: attempt.repeatable)
        if first == nil {
            let isRight = try FactorProof(settings: settings, writer: writer).use(
                attempt.shown, of: row, on: attempt.device, from: attempt.origin, transaction)
            guard isRight else {
                try transaction.audit(
                    .secondFactorRefused, account, from: attempt.origin, outcome: .invalidCode)
                // By this field the gateway counts it as a guess that was compared.
                return .failure(ServiceError(.invalidCode, fields: ["code"]))
            }
            try transaction.remember(
                attempt.repeatable,
                .init(account: account.key, authenticatedAtMs: transaction.at.milliseconds))
        }
        let isRecovery = attempt.authentication == .recoveryCode
        return .success(
            Proved(
                row: row, authenticatedAt: first?.authenticatedAt, at: transaction.at,
                recoveryCodesLeft: isRecovery ? try transaction.recoveryCodes(of: account) : 0))
    }
}

/// The validated request of a proof by a second factor.
private struct FactorAttempt: Sendable {
    /// The session that made the call.
    let owner: SessionOwner
    let shown: FactorProof.Shown
    let authentication: Authentication
    let device: DeviceShown
    let origin: CallOrigin
    /// For idempotent retries; nil when the call carries no key. Its fingerprint has a keyed hash of
    /// the code: a repeat must show the same one.
    let repeatable: RepeatableCall?

    /// Reads a request.
    /// - Throws: `rpc/invalid-argument` for an invalid idempotency key.
    init(
        _ request: GatewayV1.ReauthenticateRequest, _ kind: SecondProofKind, _ typed: SecretBytes,
        by owner: SessionOwner, _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        self.owner = owner
        shown = FactorProof.Shown(kind, typed: typed)
        authentication = kind == .recoveryCode ? .recoveryCode : .totp
        origin = CallOrigin(context, on: request.device, keys)
        device = DeviceShown(request.device, from: origin)
        repeatable = try RepeatableCall(
            SecondProofsDescription.proveBySecondFactor, request, by: owner.session,
            proving: shown.evidence(keys), context, keys)
    }
}
