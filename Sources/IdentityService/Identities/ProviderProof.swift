import Messages
import RPC
import ServiceRuntime
import Storage

/// Authenticates the owner of the caller's session again, with a fresh token of a provider that is
/// linked to the account (G-13).
///
/// Attack: an attacker finds an unlocked phone and authenticates with their own provider account.
/// Only an identity of this account is a proof; an unknown identity is not linked by it.
struct ProviderProof: Sendable {
    let parts: IdentityParts

    /// - Throws: `auth/no-such-provider` if the identity is not the account's;
    ///   `auth/missing-or-invalid-nonce`, `auth/user-disabled`, `auth/session-ended`,
    ///   `auth/idempotency-key-reused`.
    func proof(
        of owner: SessionOwner, by proved: ProvedIdentity, _ call: MethodCall
    ) async throws -> IdentityV1.SignInProof {
        let lookUpKey = parts.keys.lookUpKey(of: proved)
        let outcome: Result<Timestamp, ServiceError> = try await parts.store.write { transaction in
            try transaction.requireLive(owner)
            let isRepeat = try transaction.storedResponse(of: call.call) != nil
            if !isRepeat, let nonce = proved.nonce, try !transaction.use(nonce) {
                return .failure(try refusal(.invalidNonce, proved, call, transaction))
            }
            guard try transaction.identity(lookUpKey: lookUpKey)?.account == owner.account,
                let row = try transaction.account(owner.account)
            else { return .failure(try refusal(.methodNotLinked, proved, call, transaction)) }
            guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
            if !isRepeat {
                try transaction.remember(call.call, StoredResponse(account: owner.account.key))
            }
            return .success(transaction.at)
        }
        return ProofIssuer(parts: parts).proof(
            owner.account, by: proved.amr, provedAt: try outcome.get())
    }

    private func refusal(
        _ code: ErrorCode, _ proved: ProvedIdentity, _ call: MethodCall,
        _ transaction: Transaction
    ) throws -> ServiceError {
        try transaction.audit(
            AuditEvent(
                .signInFailed, account: call.owner.account.key,
                subject: parts.keys.subject(of: proved), outcome: code
            ).from(call.origin))
        return ServiceError(code)
    }
}
