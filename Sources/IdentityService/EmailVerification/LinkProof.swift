import CallRecords
import Cryptography
import ServiceRuntime
import Storage

/// Whether the use of a link that waits with an address goes on: inside its own session at once,
/// elsewhere by the password, and by none after too many (`ConfirmationRule`, `LinkGuesses`).
struct LinkProof: Sendable {
    let parts: IdentityParts

    /// - Parameters:
    ///   - password: As entered; empty where none was.
    ///   - counted: Counts one more password at the link, before it is compared; false where there
    ///     were too many already.
    ///   - isRight: Compares it.
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
