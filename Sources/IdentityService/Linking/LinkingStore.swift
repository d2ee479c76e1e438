package import ServiceRuntime
package import Storage

extension Transaction {
    /// Deletes an account's password.
    /// - Throws: `SQLError`.
    package func removePassword(of account: AccountID) throws {
        try put("DELETE FROM passwords WHERE account = ?", [.integer(account.key)])
    }

    /// Deletes all identities of an account, including its phone number.
    /// - Throws: `SQLError`.
    package func removeIdentities(of account: AccountID) throws {
        try put("DELETE FROM identities WHERE account = ?", [.integer(account.key)])
    }

    /// As `setAddressProved(_:)`, and stores the spelling that the owner uses.
    func setAddressProved(_ account: AccountID, sealed: [UInt8]) throws {
        try apply(.verify, account)
        try put(
            "UPDATE email_addresses SET address = ?, proved_at_ms = ? WHERE account = ?",
            [.blob(sealed), SQLValue(at), .integer(account.key)])
    }

    /// Marks a guest as a full account, which keeps the documents that it still has. A deletion
    /// that waits is cancelled. Attack: somebody with a borrowed phone requests it, which needs no
    /// proof of a guest, and the phone's owner signs up in the app.
    /// - Returns: false when the account is not a guest, or is not active.
    func endGuest(
        _ account: AccountID, from origin: CallOrigin, _ writer: AccountWriter
    ) throws -> Bool {
        let changed = try execute(
            "UPDATE accounts SET is_guest = 0 WHERE account = ? AND is_guest = 1 AND status = ?",
            [.integer(account.key), .integer(AccountStatus.active.rawValue)])
        guard changed == 1 else { return false }
        try writer.guests.release(account, self)
        try writer.deletions.cancel(of: account, from: origin, self)
        return true
    }

    /// Sets the display name, if one is given, and the picture, if the profile has none.
    /// - Parameter isNameTyped: The person typed the display name, so no provider replaces it.
    func fillProfile(
        _ account: AccountID, sealedDisplayName: [UInt8]?, isNameTyped: Bool = false,
        sealedPhotoURL: [UInt8]?
    ) throws {
        try put(
            """
            UPDATE profiles SET display_name = coalesce(?, display_name),
                name_edited_at_ms = coalesce(?, name_edited_at_ms),
                photo_url = coalesce(photo_url, ?)
            WHERE account = ?
            """,
            [
                SQLValue(sealedDisplayName),
                isNameTyped && sealedDisplayName != nil ? SQLValue(at) : .null,
                SQLValue(sealedPhotoURL), .integer(account.key),
            ])
    }

    /// Marks the name as not the owner's, so that the name of a provider replaces it.
    func setNameUnedited(_ account: AccountID) throws {
        try put(
            "UPDATE profiles SET name_edited_at_ms = NULL WHERE account = ?",
            [.integer(account.key)])
    }

    /// Takes over what a provider says about its user, as far as the owner has not edited it here.
    func refreshProfile(
        _ account: AccountID, sealedDisplayName: [UInt8]?, sealedPhotoURL: [UInt8]?
    ) throws {
        try put(
            """
            UPDATE profiles SET display_name = coalesce(?, display_name),
                photo_url = coalesce(?, photo_url)
            WHERE account = ?
            """,
            [SQLValue(sealedDisplayName), SQLValue(sealedPhotoURL), .integer(account.key)])
    }
}

/// The schema that linking adds to the identity service.
extension IdentityTables {
    /// One identity of each provider and one phone number for each account. The unique index
    /// enforces it on a storage engine with several writers, where two concurrent links could both
    /// pass the check.
    package static let oneOfEachMethod = """
        DROP INDEX identities_by_account;
        CREATE UNIQUE INDEX identities_by_account ON identities (account, method);
        """
}

/// Identities that an account's owner has unlinked, so that no sign-in links them again
/// automatically. Attack: a provider account is stolen, and its owner unlinks it here. The thief
/// signs in with it again, and its verified email would link it again (`LinkingRule`).
///
/// Only a keyed hash is stored, as in `identities`; it reveals no name. Identities that a
/// provider's notice removes are not stored, since the owner has not rejected them. Identities that
/// a takeover removes are not stored either, since they were not the owner's.
extension IdentityTables {
    /// The table `removed_identities`.
    package static let removedIdentities = """
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
    func recordRemoval(_ lookUpKey: [UInt8], from account: AccountID) throws {
        try deleteRemoval(lookUpKey, from: account)
        let count = try queryOne(
            "SELECT count(*) FROM removed_identities WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) }
        if count ?? 0 >= IdentityTables.removalsMax { try deleteOldestRemoval(of: account) }
        try put(
            "INSERT INTO removed_identities (account, look_up_key) VALUES (?, ?)",
            [.integer(account.key), .blob(lookUpKey)])
    }

    /// Deletes the entry: the owner has linked the identity again.
    func deleteRemoval(_ lookUpKey: [UInt8], from account: AccountID) throws {
        try put(
            "DELETE FROM removed_identities WHERE account = ? AND look_up_key = ?",
            [.integer(account.key), .blob(lookUpKey)])
    }

    /// Deletes all entries of an account. A takeover calls this, because its previous holder
    /// unlinked them and not the owner.
    /// - Throws: `SQLError`.
    package func deleteRemovals(from account: AccountID) throws {
        try put(
            "DELETE FROM removed_identities WHERE account = ?", [.integer(account.key)])
    }

    private func deleteOldestRemoval(of account: AccountID) throws {
        try put(
            """
            DELETE FROM removed_identities WHERE removal = (
                SELECT min(removal) FROM removed_identities WHERE account = ?1)
            AND account = ?1
            """,
            [.integer(account.key)])
    }
}
