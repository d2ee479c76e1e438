import ServiceRuntime
import Storage

extension SQLSession {
    /// Who owns an address, with the password.
    func passwordHolder(ofAddress lookUpKey: [UInt8]) throws -> PasswordHolder? {
        try owner(ofAddress: lookUpKey).flatMap(passwordHolder)
    }

    /// An account with its password.
    func passwordHolder(_ account: AccountID) throws -> PasswordHolder? {
        guard let row = try self.account(account) else { return nil }
        let hash = try queryOne(
            "SELECT hash FROM passwords WHERE account = ?", [.integer(account.key)]
        ) { try $0.blob(0) }
        return PasswordHolder(row: row, sealedHash: hash)
    }

    /// When an account's password was set; nil where it has none.
    func passwordSetAt(_ account: AccountID) throws -> Timestamp? {
        try queryOne(
            "SELECT changed_at_ms FROM passwords WHERE account = ?", [.integer(account.key)]
        ) { try $0.timestamp(0) }
    }
}

extension Transaction {
    /// Sets an account's password to another one.
    func setPassword(_ account: AccountID, sealedHash: [UInt8]) throws {
        try execute(
            """
            INSERT INTO passwords (account, hash, changed_at_ms) VALUES (?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
                hash = excluded.hash, changed_at_ms = excluded.changed_at_ms, scheme = NULL
            """,
            [.integer(account.key), .blob(sealedHash), SQLValue(at)])
    }

    /// Keeps a stronger hash of the same password.
    func upgradePassword(_ account: AccountID, sealedHash: [UInt8]) throws {
        try execute(
            "UPDATE passwords SET hash = ?, scheme = NULL WHERE account = ?",
            [.blob(sealedHash), .integer(account.key)])
    }
}
