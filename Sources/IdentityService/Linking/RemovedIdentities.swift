import ServiceRuntime
import Storage

/// Identities that an account's owner took away, so that they do not come back by themselves. Attack:
/// a provider's account is stolen, its owner unlinks it here, and the thief signs in by it once more:
/// the email that it proves would have it linked again (`LinkingRule`).
///
/// A keyed hash only, as `identities` has it: it tells nobody's name. What a provider's notice takes
/// away is not kept, since nobody here has shut it out; nor what a takeover does, since that was a
/// stranger's.
enum RemovedIdentityTables {
    static let sql = """
        CREATE TABLE removed_identities (
            removal INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES accounts,
            look_up_key BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX removed_identities_by_account
            ON removed_identities (account, look_up_key);
        """

    /// Of one account; the oldest gives way. Far more than a person has accounts at providers.
    static let removalsMax = 16
}

extension SQLSession {
    /// Whether an account's owner has taken an identity away, and not linked it since.
    func wasRemoved(_ lookUpKey: [UInt8], from account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM removed_identities WHERE account = ? AND look_up_key = ?",
            [.integer(account.key), .blob(lookUpKey)]
        ) { try $0.integer(0) } != nil
    }
}

extension Transaction {
    /// Notes that an account's owner has taken an identity away.
    func noteRemoval(_ lookUpKey: [UInt8], from account: AccountID) throws {
        try forgetRemoval(lookUpKey, from: account)
        let kept = try queryOne(
            "SELECT count(*) FROM removed_identities WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) }
        if kept ?? 0 >= RemovedIdentityTables.removalsMax { try forgetOldestRemoval(of: account) }
        try execute(
            "INSERT INTO removed_identities (account, look_up_key) VALUES (?, ?)",
            [.integer(account.key), .blob(lookUpKey)])
    }

    /// An identity may be the account's again, as its owner wishes.
    func forgetRemoval(_ lookUpKey: [UInt8], from account: AccountID) throws {
        try execute(
            "DELETE FROM removed_identities WHERE account = ? AND look_up_key = ?",
            [.integer(account.key), .blob(lookUpKey)])
    }

    /// Whoever took identities away from this account was not its owner.
    func forgetRemovals(from account: AccountID) throws {
        try execute(
            "DELETE FROM removed_identities WHERE account = ?", [.integer(account.key)])
    }

    private func forgetOldestRemoval(of account: AccountID) throws {
        try execute(
            """
            DELETE FROM removed_identities WHERE removal = (
                SELECT min(removal) FROM removed_identities WHERE account = ?)
            """,
            [.integer(account.key)])
    }
}
