import ServiceRuntime
import Storage

extension Transaction {
    /// Takes an account's password away.
    func removePassword(of account: AccountID) throws {
        try execute("DELETE FROM passwords WHERE account = ?", [.integer(account.key)])
    }

    /// Takes all identities of an account away, its phone number among them.
    func removeIdentities(of account: AccountID) throws {
        try execute("DELETE FROM identities WHERE account = ?", [.integer(account.key)])
    }

    /// The same as `setAddressProved`, and how its owner writes it.
    func setAddressProved(_ account: AccountID, sealed: [UInt8]) throws {
        try apply(.verify, account)
        try execute(
            "UPDATE email_addresses SET address = ?, proved_at_ms = ? WHERE account = ?",
            [.blob(sealed), SQLValue(at), .integer(account.key)])
    }

    /// Notes that a guest is none any more.
    /// - Returns: false where it was none, or is stopped.
    func endGuest(_ account: AccountID) throws -> Bool {
        try execute(
            "UPDATE accounts SET is_guest = 0 WHERE account = ? AND is_guest = 1 AND status = ?",
            [.integer(account.key), .integer(AccountStatus.active.rawValue)]) == 1
    }

    /// Gives a profile what it lacks.
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
