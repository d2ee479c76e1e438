import Contracts
package import Logging
import ServiceRuntime
import Storage

extension IdentitySettings {
    /// Whether a way to sign in that has no other setting is there (G-36).
    package enum WayMode: String, CaseIterable, Sendable {
        /// It is.
        case on
        /// It is absent from the options, and its rpcs are refused with
        /// `auth/operation-not-allowed`.
        case off
    }

    /// Those of an account's methods that can open it: where passwords are switched off, all others.
    /// A provider or a passkey domain that the operator has taken away still counts
    /// (`AccountRow.methods`).
    func opening(_ methods: [SignInMethod]) -> [SignInMethod] {
        methods.filter { passwordSignIn == .on || $0 != .password }
    }
}

extension SQLSession {
    /// How many accounts have an address and no identity or passkey, so that only a password opens
    /// them.
    /// - Throws: `SQLError`.
    func accountsWithPasswordAlone() throws -> Int64 {
        try queryOne(
            """
            SELECT count(*) FROM accounts
            JOIN email_addresses ON email_addresses.account = accounts.account
            WHERE accounts.is_guest = 0 AND accounts.status <> ?
                AND NOT EXISTS (
                    SELECT 1 FROM identities WHERE identities.account = accounts.account)
                AND NOT EXISTS (
                    SELECT 1 FROM passkeys WHERE passkeys.account = accounts.account)
            """, [.integer(AccountStatus.deleting.rawValue)]
        ) { try $0.integer(0) } ?? 0
    }
}

extension IdentityService {
    /// Says at the start how many accounts nothing opens, since passwords are switched off (G-36).
    /// `OrphanCheck` lists them.
    /// - Throws: `SQLError`; errors of the store.
    package func reportAccountsWithPasswordAlone(_ logger: Logger) async throws {
        guard settings.passwordSignIn == .off else { return }
        let count = try await store.read { try $0.accountsWithPasswordAlone() }
        guard count > 0 else { return }
        logger.warning(
            "identity.passwords.needed",
            """
            passwords are off, and accounts have no other way to sign in; they are listed by: \
            postern accounts orphans --kind account-without-way-in
            """,
            fields: [.setting: .text("password-sign-in"), .count: .integer(count)])
    }
}
