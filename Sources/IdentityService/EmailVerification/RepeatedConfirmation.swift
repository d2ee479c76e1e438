import Cryptography
import ServiceRuntime
import Storage

/// A repeat of a call that used a link up (G-25). It gets the stored response only with the same
/// evidence as the first call: the account's own session or its password.
struct RepeatedConfirmation: Sendable {
    let parts: IdentityParts

    /// - Parameters:
    ///   - asking: The account of the caller's session; nil outside a session.
    ///   - password: As entered; empty if none was.
    /// - Returns: the stored response, and the account in its present state.
    /// - Throws: `auth/invalid-link` if there was no such call; `auth/idempotency-key-reused` for a
    ///   caller without that evidence.
    func find(
        _ call: RepeatableCall?, asking: AccountID?, password: SecretBytes
    ) async throws -> (first: StoredResponse, holder: PasswordHolder) {
        guard call != nil,
            let first = try await parts.store.write({ try $0.storedResponse(of: call) })
        else { throw ServiceError(.invalidLink) }
        let account = try AccountID(stored: first.account)
        let holder = try await parts.store.read { try $0.passwordHolder(account) }
        guard let holder, holder.row.status.isUsable else { throw ServiceError(.invalidLink) }
        if asking != account {
            guard let typed = Password(entered: password),
                try await PasswordCheck(parts: parts).isRight(typed, of: holder)
            else { throw ServiceError(.idempotencyKeyReused) }
        }
        return (first, holder)
    }
}
