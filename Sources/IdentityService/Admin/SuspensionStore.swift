import ServiceRuntime
import Storage

/// Why and since when accounts are suspended; the reason is sealed under the account's key, since an
/// operator may write anything of a person into it. An account that an import brought in suspended
/// has no row.
enum SuspensionTables {
    static let sql = """
        CREATE TABLE suspensions (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            reason BLOB NOT NULL,
            since_ms INTEGER NOT NULL
        ) STRICT;
        """
}

/// A suspension as its row keeps it.
struct Suspension: Hashable, Sendable {
    let sealedReason: [UInt8]
    let since: Timestamp
}

extension SQLSession {
    /// An account's suspension; nil where there is none.
    func suspension(_ account: AccountID) throws -> Suspension? {
        try queryOne(
            "SELECT reason, since_ms FROM suspensions WHERE account = ?", [.integer(account.key)]
        ) { Suspension(sealedReason: try $0.blob(0), since: try $0.timestamp(1)) }
    }
}

extension Transaction {
    /// Notes why an account is suspended from now on.
    func noteSuspension(of account: AccountID, sealedReason: [UInt8]) throws {
        try execute(
            "INSERT INTO suspensions (account, reason, since_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .blob(sealedReason), SQLValue(at)])
    }

    /// Forgets it.
    func removeSuspension(of account: AccountID) throws {
        try execute("DELETE FROM suspensions WHERE account = ?", [.integer(account.key)])
    }
}
