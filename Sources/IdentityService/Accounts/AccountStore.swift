import ServiceRuntime
import Storage

extension SQLSession {
    /// One account with its profile, key, address and methods. Every sign-in reads it several
    /// times, so each table is accessed by its primary key or by an index on the account.
    func account(_ account: AccountID) throws -> AccountRow? {
        try queryOne(
            """
            SELECT accounts.account, status, created_at_ms, last_sign_in_at_ms, sealed_key,
                display_name, language, email_addresses.look_up_key, address, proved_at_ms,
                is_guest, photo_url, phone.identity, phone.details,
                EXISTS (SELECT 1 FROM passwords WHERE passwords.account = accounts.account),
                (SELECT group_concat(method, ' ') FROM identities
                 WHERE identities.account = accounts.account)
            FROM accounts
            JOIN profiles ON profiles.account = accounts.account
            JOIN account_keys ON account_keys.account = accounts.account
            LEFT JOIN email_addresses ON email_addresses.account = accounts.account
            LEFT JOIN identities AS phone
                ON phone.account = accounts.account AND phone.method = 'phone'
            WHERE accounts.account = ?
            """, [.integer(account.key)], AccountRow.init)
    }

    /// The account that owns an address.
    func owner(ofAddress lookUpKey: [UInt8]) throws -> AccountID? {
        try queryOne(
            "SELECT account FROM email_addresses WHERE look_up_key = ?", [.blob(lookUpKey)]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

extension Transaction {
    /// Inserts all rows of a new account.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` if its address is taken.
    func insert(_ new: NewAccount) throws {
        let account = SQLValue.integer(new.account.key)
        // A sign-up counts as a sign-in: the next sign-in shows it as the previous one.
        try execute(
            """
            INSERT INTO accounts (account, status, created_at_ms, last_sign_in_at_ms, is_guest)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                account, .integer(new.status.rawValue), SQLValue(at), SQLValue(at),
                SQLValue(new.isGuest),
            ])
        try insertProfile(
            of: new.account, sealedKey: new.sealedKey, sealedDisplayName: new.sealedDisplayName,
            language: new.language, sealedPhotoURL: new.sealedPhotoURL)
        if let address = new.address { try insert(address, of: new.account) }
        if let hash = new.sealedPasswordHash {
            try setPassword(new.account, sealedHash: hash)
        }
    }

    /// Inserts an account's key and profile. Without them its row is not a valid account (I-04).
    func insertProfile(
        of account: AccountID, sealedKey: [UInt8], sealedDisplayName: [UInt8], language: String,
        sealedPhotoURL: [UInt8]?
    ) throws {
        try execute(
            "INSERT INTO account_keys (account, sealed_key) VALUES (?, ?)",
            [.integer(account.key), .blob(sealedKey)])
        try execute(
            """
            INSERT INTO profiles (account, display_name, language, photo_url) VALUES (?, ?, ?, ?)
            """,
            [
                .integer(account.key), .blob(sealedDisplayName), .text(language),
                SQLValue(sealedPhotoURL),
            ])
    }

    /// Sets an account's address; claims of other accounts on it become void.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` if it is taken, or the account has one.
    func insert(_ address: NewAddress, of account: AccountID) throws {
        try execute(
            """
            INSERT INTO email_addresses (account, look_up_key, address, held_at_ms, proved_at_ms)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                .integer(account.key), .blob(address.lookUpKey), .blob(address.sealed),
                SQLValue(at), address.isProved ? SQLValue(at) : .null,
            ])
        try voidClaims(on: address.lookUpKey)
    }

    /// Records the time of a sign-in.
    func setLastSignIn(_ account: AccountID) throws {
        try execute(
            "UPDATE accounts SET last_sign_in_at_ms = ? WHERE account = ?",
            [SQLValue(at), .integer(account.key)])
    }

    /// Marks the account's address as verified; the time of the first verification is kept. A
    /// pending account becomes active.
    func setAddressProved(_ account: AccountID) throws {
        try apply(.verify, account)
        try execute(
            """
            UPDATE email_addresses SET proved_at_ms = ?
            WHERE account = ? AND proved_at_ms IS NULL
            """,
            [SQLValue(at), .integer(account.key)])
    }
}

extension AccountRow {
    fileprivate init(_ row: SQLRow) throws {
        account = try AccountID(stored: row.integer(0))
        let status = try row.integer(1)
        guard let known = AccountStatus(rawValue: status) else {
            throw SQLError(.unexpectedValue, detail: "accounts.status \(status)")
        }
        self.status = known
        createdAt = try row.timestamp(2)
        lastSignInAt = try row.optionalTimestamp(3)
        sealedKey = try row.blob(4)
        sealedDisplayName = try row.blob(5)
        language = try row.text(6)
        address = try row.optionalBlob(7).map { lookUpKey in
            Address(
                lookUpKey: lookUpKey, sealed: try row.blob(8),
                provedAt: try row.optionalTimestamp(9))
        }
        isGuest = try row.boolean(10)
        sealedPhotoURL = try row.optionalBlob(11)
        phone = try row.optionalInteger(12).map { identity in
            Phone(identity: identity, sealedDetails: try row.blob(13))
        }
        let opensByPassword = try row.boolean(14) && address != nil
        let identities = try row.optionalText(15)?.split(separator: " ").map(String.init) ?? []
        methods = (opensByPassword ? ["password"] : []) + identities.sorted()
    }
}

extension AccountID {
    /// The id of a stored row key.
    /// - Throws: `SQLError` of kind `.unexpectedValue` for a key below 1.
    init(stored key: Int64) throws(SQLError) {
        guard let account = AccountID(key: key) else {
            throw SQLError(.unexpectedValue, detail: "an account's key below 1")
        }
        self = account
    }
}
