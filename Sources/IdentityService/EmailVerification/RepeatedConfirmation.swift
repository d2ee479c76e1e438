import CallRecords
import Cryptography
import ServiceRuntime
import Storage

/// A call that used a link up, sent again (G-25): it is answered to who shows again what the first
/// one showed, the account's own session or its password.
struct RepeatedConfirmation: Sendable {
    let parts: IdentityParts

    /// - Parameters:
    ///   - asking: The account of the session that asks; nil outside a session.
    ///   - password: As entered; empty where none was.
    /// - Returns: what is kept of the first answer, and the account as it is.
    /// - Throws: `auth/invalid-link` where there was no such call; `auth/idempotency-key-reused` for
    ///   who cannot show it.
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
