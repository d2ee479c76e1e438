import Cryptography
import ServiceRuntime
import Storage

/// Checks the use of a link to an address that is not verified yet. In the account's own session
/// the link suffices. Elsewhere it needs the password, with a limited number of attempts
/// (`ConfirmationRule`, `LinkGuesses`).
struct LinkProof: Sendable {
    let parts: IdentityParts

    /// - Parameters:
    ///   - password: As entered; empty if none was.
    ///   - counted: Counts one password attempt at the link, before the comparison; false if the
    ///     limit was reached before.
    ///   - isRight: Compares the password.
    /// - Throws: `auth/password-needed`, `auth/invalid-link`, `auth/invalid-credential`.
    func require(
        _ rule: ConfirmationRule, _ password: SecretBytes, of account: AccountID,
        from origin: CallOrigin, counted: @escaping @Sendable (Transaction) throws -> Bool,
        isRight: (Password) async throws -> Bool
    ) async throws {
        switch rule {
        case .byLink: return
        case .passwordMissing: throw ServiceError(.passwordNeeded, fields: ["password"])
        case .byPassword:
            guard try await parts.store.write(counted) else { throw ServiceError(.invalidLink) }
            guard let typed = Password(entered: password), try await isRight(typed) else {
                throw try await refusal(account, origin)
            }
        }
    }

    private func refusal(
        _ account: AccountID, _ origin: CallOrigin
    ) async throws -> ServiceError {
        try await parts.store.write { transaction in
            try transaction.audit(
                AuditEvent(.emailProofRefused, account: account.key, outcome: .invalidCredential)
                    .from(origin))
        }
        return ServiceError(.invalidCredential)
    }
}
