import Addresses
import Logging
import Messages
import ServiceRuntime
import Storage

/// Decrypts an account's rows for its owner.
struct AccountReader: Sendable {
    let keys: IdentityKeys
    let randomness: any Randomness

    /// The vault of an account.
    /// - Throws: if the account's key does not decrypt.
    func vault(_ row: AccountRow) throws -> AccountVault {
        try AccountVault(
            of: row.account, sealedKey: row.sealedKey, under: keys.accounts, randomness: randomness)
    }

    /// Returns the result of `read`. If an account's rows do not decrypt, it logs the account's id
    /// and returns nil, so that one damaged row does not abort a listing of all accounts.
    func readable<Value>(
        _ account: AccountID, _ logger: Logger, _ read: () throws -> Value
    ) -> Value? {
        do {
            return try read()
        } catch {
            logger.error(
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

    /// The address that an account owns; nil without one.
    func address(_ row: AccountRow) throws -> EmailAddress? {
        guard let owned = row.address else { return nil }
        return EmailAddress(try vault(row).open(owned.sealed, .address))
    }

    /// The words that a password of this account must not be made of.
    /// - Parameter app: The app's name (`IdentitySettings.appName`).
    func passwordContext(_ row: AccountRow, app: String) throws -> PasswordContext {
        let vault = try vault(row)
        return PasswordContext(
            address: try row.address.flatMap {
                EmailAddress(try vault.open($0.sealed, .address))
            },
            displayName: try vault.open(row.sealedDisplayName, .displayName), app: app)
    }
}

extension Store {
    /// The row of an account.
    /// - Throws: `rpc/not-found`.
    func account(_ account: AccountID) async throws -> AccountRow {
        guard let row = try await read({ try $0.account(account) }) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        return row
    }
}
