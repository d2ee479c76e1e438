import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension SecondProofsHandler {
    /// Re-authenticates the owner of the calling session by a passkey of the account (F-01, G-13):
    /// resolves the access token, verifies, uses the challenge up, issues a proof of aal2 that
    /// opens no session.
    ///
    /// Attack: somebody with a stolen access token signs with a passkey of their own. It must be
    /// one of the account of the token, and the challenge one of its session.
    func proveByPasskey(
        _ credential: GatewayV1.PasskeyAssertion, _ request: GatewayV1.ReauthenticateRequest,
        _ context: CallContext
    ) async throws -> IdentityV1.ProveBySecondFactorResponse {
        let owner = try await owners.owner(in: context)
        let origin = CallOrigin(context, on: request.device, keys)
        let repeatable = try RepeatableCall(
            SecondProofsDescription.proveBySecondFactor, request, by: owner.session,
            proving: credential.evidence(keys), context, keys)
        let proved: ProvedPasskey
        if let first = try await store.storedResponse(of: repeatable, at: time.now()) {
            proved = try await again(first, of: owner)
        } else {
            let session = try owner.sessionID()
            proved = try await untilUnchanged { () async throws -> ProvedPasskey? in
                let verified = try await passkeys.verified(
                    credential, for: [.sessionProof(session)], of: owner.account)
                switch verified {
                case .success(let verified):
                    return try await prove(
                        verified, of: owner, on: DeviceShown(request.device, from: origin),
                        from: origin, repeatable)
                case .failure(let failure):
                    throw try await passkeys.recorded(failure, from: origin)
                }
            }
        }
        return IdentityV1.ProveBySecondFactorResponse(
            proof: proofs.reauthentication(
                of: owner, proved.row, by: proved.authentication,
                authenticatedAt: proved.authenticatedAt, provedAt: proved.at))
    }

    /// What a right proof came to.
    private struct ProvedPasskey: Sendable {
        let row: AccountRow
        let authentication: Authentication
        /// Of the first call; nil if this is it.
        let authenticatedAt: Timestamp?
        let at: Timestamp
    }

    private func again(
        _ first: IdentityV1.StoredResponse, of owner: SessionOwner
    ) async throws -> ProvedPasskey {
        let now = time.now()
        let row = try await store.read { session in
            try session.requireLive(owner)
            return try session.callersRow(owner.account)
        }
        return ProvedPasskey(
            row: row,
            authentication: first.isHardwarePasskey ? .hardwarePasskey : .softwarePasskey,
            authenticatedAt: first.authenticatedAt, at: now)
    }

    /// - Returns: nil when the passkey changed since it was verified.
    private func prove(
        _ verified: VerifiedPasskey, of owner: SessionOwner, on device: DeviceShown,
        from origin: CallOrigin, _ repeatable: RepeatableCall?
    ) async throws -> ProvedPasskey? {
        let account = owner.account
        let outcome: Result<ProvedPasskey?, PasskeyFailure> = try await store.write(
            about: [.account(account)]
        ) { transaction in
            try transaction.requireLive(owner)
            let row = try transaction.callersRow(account)
            // The first of two calls at once was committed meanwhile.
            if let first = try transaction.storedResponse(of: repeatable) {
                return .success(
                    ProvedPasskey(
                        row: row, authentication: verified.authentication,
                        authenticatedAt: first.authenticatedAt, at: transaction.at))
            }
            switch try passkeys.use(verified, on: device, from: origin, transaction) {
            case .changed: return .success(nil)
            case .refused:
                let failure = PasskeyFailure.refused(.challengeUsed, of: account)
                try transaction.audit(
                    .passkeyRefused, account, from: origin, outcome: failure.code)
                return .failure(failure)
            case .used: break
            }
            try transaction.remember(
                repeatable,
                .init(
                    account: account.key, authenticatedAtMs: transaction.at.milliseconds,
                    isHardwarePasskey: verified.authentication == .hardwarePasskey))
            return .success(
                ProvedPasskey(
                    row: row, authentication: verified.authentication, authenticatedAt: nil,
                    at: transaction.at))
        }
        switch outcome {
        case .success(let proved): return proved
        case .failure(let failure): throw passkeys.error(of: failure)
        }
    }
}
