import EmailAddresses
import Messages
import ServiceRuntime
import Storage

/// Opens an account's rows for its owner.
struct AccountReader: Sendable {
    let parts: IdentityParts

    /// One account, as it is.
    /// - Throws: `rpc/not-found`.
    func account(_ account: AccountID) async throws -> AccountRow {
        guard let row = try await parts.store.read({ try $0.account(account) }) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        return row
    }

    /// The vault of an account.
    func vault(_ row: AccountRow) throws -> AccountVault {
        try AccountVault(
            of: row.account, sealedKey: row.sealedKey, under: parts.keys.accounts,
            randomness: parts.randomness)
    }

    /// What `read` makes of an account's rows; nil, with the account's id in the log, where they do
    /// not open. One damaged row does not end a listing of all accounts.
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
    /// - Parameter lastSignInAt: what to tell instead of the row's own: the sign-in before this
    ///   one.
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

    /// The words that a password of this account may not be made of.
    func passwordContext(_ row: AccountRow) throws -> PasswordContext {
        let vault = try vault(row)
        let address = try row.address.map { try vault.open($0.sealed, .address) }
        return PasswordContext(
            address: address.flatMap(EmailAddress.init),
            displayName: try vault.open(row.sealedDisplayName, .displayName),
            app: parts.settings.appName)
    }
}
