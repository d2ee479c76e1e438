import ServiceRuntime
import Storage

extension SQLSession {
    /// The account that owns an address, with its password hash.
    func passwordHolder(ofAddress lookUpKey: [UInt8]) throws -> PasswordHolder? {
        try owner(ofAddress: lookUpKey).flatMap(passwordHolder)
    }

    /// An account with its password hash.
    func passwordHolder(_ account: AccountID) throws -> PasswordHolder? {
        guard let row = try self.account(account) else { return nil }
        let hash = try queryOne(
            "SELECT hash FROM passwords WHERE account = ?", [.integer(account.key)]
        ) { try $0.blob(0) }
        return PasswordHolder(row: row, sealedHash: hash)
    }

    /// When an account's password was set; nil without a password.
    func passwordSetAt(_ account: AccountID) throws -> Timestamp? {
        try queryOne(
            "SELECT changed_at_ms FROM passwords WHERE account = ?", [.integer(account.key)]
        ) { try $0.timestamp(0) }
    }
}

extension Transaction {
    /// Sets or replaces an account's password.
    func setPassword(_ account: AccountID, sealedHash: [UInt8]) throws {
        try execute(
            """
            INSERT INTO passwords (account, hash, changed_at_ms) VALUES (?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
                hash = excluded.hash, changed_at_ms = excluded.changed_at_ms, scheme = NULL
            """,
            [.integer(account.key), .blob(sealedHash), SQLValue(at)])
    }

    /// Replaces the hash with a stronger one of the same password.
    func upgradePassword(_ account: AccountID, sealedHash: [UInt8]) throws {
        try execute(
            "UPDATE passwords SET hash = ?, scheme = NULL WHERE account = ?",
            [.blob(sealedHash), .integer(account.key)])
    }
}

/// An account with its password hash, if it has one.
struct PasswordHolder: Hashable, Sendable {
    let row: AccountRow
    /// Sealed with the account's key, so that a stolen database alone permits no offline guessing.
    let sealedHash: [UInt8]?
}
