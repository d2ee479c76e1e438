import Addresses
import Messages
import ServiceRuntime
import Storage

/// Decrypts an account's rows for its owner.
struct AccountReader: Sendable {
    let parts: IdentityParts

    /// The row of an account.
    /// - Throws: `rpc/not-found`.
    func account(_ account: AccountID) async throws -> AccountRow {
        guard let row = try await parts.store.read({ try $0.account(account) }) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        return row
    }

    /// The vault of an account.
    /// - Throws: if the account's key does not decrypt.
    func vault(_ row: AccountRow) throws -> AccountVault {
        try AccountVault(
            of: row.account, sealedKey: row.sealedKey, under: parts.keys.accounts,
            randomness: parts.randomness)
    }

    /// Returns the result of `read`. If an account's rows do not decrypt, it logs the account's id
    /// and returns nil, so that one damaged row does not abort a listing of all accounts.
    func readable<Value>(_ account: AccountID, _ read: () throws -> Value) -> Value? {
        do {
            return try read()
        } catch {
            parts.logger.error(
                "identity.account.unreadable", "an account row does not decrypt and is left out",
                fields: [.account: .text(account.text), .detail: .error(error)])
            return nil
        }
    }

    /// The account as its owner sees it.
    /// - Parameter lastSignInAt: The time of the sign-in before the current one, which replaces the
    ///   row's own value.
    func message(_ row: AccountRow, lastSignInAt: Timestamp?) throws -> IdentityV1.Account {
        let vault = try vault(row)
        return IdentityV1.Account(
            accountId: row.account.text,
            email: try row.address.map { try vault.open($0.sealed, .address) } ?? "",
            emailVerified: row.address?.provedAt != nil,
            displayName: try vault.open(row.sealedDisplayName, .displayName),
            createdAtMs: row.createdAt.milliseconds,
            lastSignInAtMs: lastSignInAt?.milliseconds ?? 0,
            status: row.status.message,
            methods: row.methods,
            phoneNumber: try row.phone.map { try phoneNumber($0, vault) } ?? "",
            photoUrl: try row.sealedPhotoURL.map { try vault.open($0, .photoURL) } ?? "",
            isGuest: row.isGuest)
    }

    private func phoneNumber(_ phone: AccountRow.Phone, _ vault: AccountVault) throws -> String {
        let sealed = try vault.open(phone.sealedDetails, .identityDetails(phone.identity))
        return try IdentityDetails(text: sealed).subject
    }

    /// The account as its owner sees it.
    func message(_ row: AccountRow) throws -> IdentityV1.Account {
        try message(row, lastSignInAt: row.lastSignInAt)
    }

    /// The words that a password of this account must not be made of.
    func passwordContext(_ row: AccountRow) throws -> PasswordContext {
        let vault = try vault(row)
        let address = try row.address.map { try vault.open($0.sealed, .address) }
        return PasswordContext(
            address: address.flatMap(EmailAddress.init),
            displayName: try vault.open(row.sealedDisplayName, .displayName),
            app: parts.settings.appName)
    }
}
