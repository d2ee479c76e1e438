import ServiceRuntime
import Storage

extension Transaction {
    /// Deletes an account's password.
    func removePassword(of account: AccountID) throws {
        try execute("DELETE FROM passwords WHERE account = ?", [.integer(account.key)])
    }

    /// Deletes all identities of an account, including its phone number.
    func removeIdentities(of account: AccountID) throws {
        try execute("DELETE FROM identities WHERE account = ?", [.integer(account.key)])
    }

    /// As `setAddressProved(_:)`, and stores the spelling that the owner uses.
    func setAddressProved(_ account: AccountID, sealed: [UInt8]) throws {
        try apply(.verify, account)
        try execute(
            "UPDATE email_addresses SET address = ?, proved_at_ms = ? WHERE account = ?",
            [.blob(sealed), SQLValue(at), .integer(account.key)])
    }

    /// Marks a guest as a full account.
    /// - Returns: false when the account is not a guest, or is not active.
    func endGuest(_ account: AccountID) throws -> Bool {
        try execute(
            "UPDATE accounts SET is_guest = 0 WHERE account = ? AND is_guest = 1 AND status = ?",
            [.integer(account.key), .integer(AccountStatus.active.rawValue)]) == 1
    }

    /// Sets the display name, if one is given, and the photo, if the profile has none.
    func fillProfile(
        _ account: AccountID, sealedDisplayName: [UInt8]?, sealedPhotoURL: [UInt8]?
    ) throws {
        try execute(
            """
            UPDATE profiles SET display_name = coalesce(?, display_name),
                photo_url = coalesce(photo_url, ?)
            WHERE account = ?
            """,
            [SQLValue(sealedDisplayName), SQLValue(sealedPhotoURL), .integer(account.key)])
    }
}

/// The schema that linking adds to the identity service.
enum LinkingTables {
    /// One identity of each provider and one phone number for each account. The unique index
    /// enforces it on a storage engine with several writers, where two concurrent links could both
    /// pass the check.
    static let oneOfEachMethod = """
        DROP INDEX identities_by_account;
        CREATE UNIQUE INDEX identities_by_account ON identities (account, method);
        """
}
