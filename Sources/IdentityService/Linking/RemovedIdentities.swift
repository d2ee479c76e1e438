import ServiceRuntime
import Storage

/// Identities that an account's owner has unlinked, so that no sign-in links them again
/// automatically. Attack: a provider account is stolen, and its owner unlinks it here. The thief
/// signs in with it again, and its verified email would link it again (`LinkingRule`).
///
/// Only a keyed hash is stored, as in `identities`; it reveals no name. Identities that a
/// provider's notice removes are not stored, since the owner has not rejected them. Identities that
/// a takeover removes are not stored either, since they were not the owner's.
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

    /// For each account; the oldest entry is dropped first. Far more than one person has provider
    /// accounts.
    static let removalsMax = 16
}

extension SQLSession {
    /// Whether the owner has unlinked this identity and not linked it again since.
    func wasRemoved(_ lookUpKey: [UInt8], from account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM removed_identities WHERE account = ? AND look_up_key = ?",
            [.integer(account.key), .blob(lookUpKey)]
        ) { try $0.integer(0) } != nil
    }
}

extension Transaction {
    /// Records that the owner has unlinked an identity. Drops the oldest entry when the account has
    /// `removalsMax` of them.
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

    /// Deletes the entry: the owner has linked the identity again.
    func forgetRemoval(_ lookUpKey: [UInt8], from account: AccountID) throws {
        try execute(
            "DELETE FROM removed_identities WHERE account = ? AND look_up_key = ?",
            [.integer(account.key), .blob(lookUpKey)])
    }

    /// Deletes all entries of an account. A takeover calls this, because its previous holder
    /// unlinked them and not the owner.
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
