import ServiceRuntime
import Storage

/// The reason and time of each suspension. The reason is sealed under the account's key, because an
/// operator may write personal data into it. An account that was imported as suspended has no row.
enum SuspensionTables {
    static let sql = """
        CREATE TABLE suspensions (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            reason BLOB NOT NULL,
            since_ms INTEGER NOT NULL
        ) STRICT;
        """
}

/// A row of `suspensions`.
struct Suspension: Hashable, Sendable {
    let sealedReason: [UInt8]
    let since: Timestamp
}

extension SQLSession {
    /// An account's suspension; nil if there is none.
    func suspension(_ account: AccountID) throws -> Suspension? {
        try queryOne(
            "SELECT reason, since_ms FROM suspensions WHERE account = ?", [.integer(account.key)]
        ) { Suspension(sealedReason: try $0.blob(0), since: try $0.timestamp(1)) }
    }
}

extension Transaction {
    /// Records why an account is suspended, as of now.
    func noteSuspension(of account: AccountID, sealedReason: [UInt8]) throws {
        try execute(
            "INSERT INTO suspensions (account, reason, since_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .blob(sealedReason), SQLValue(at)])
    }

    /// Deletes an account's suspension.
    func removeSuspension(of account: AccountID) throws {
        try execute("DELETE FROM suspensions WHERE account = ?", [.integer(account.key)])
    }
}
