import ServiceRuntime
import Storage

extension SQLSession {
    /// The account that was imported under an external id.
    func importedAccount(lookUpKey: [UInt8]) throws -> AccountID? {
        try queryOne(
            "SELECT account FROM imported_accounts WHERE look_up_key = ?", [.blob(lookUpKey)]
        ) { try AccountID(stored: $0.integer(0)) }
    }

    /// The accounts that a new account's ids match.
    func found(_ new: ImportedAccount) throws -> ImportRule.Found {
        var found = ImportRule.Found()
        found.byExternalID = try importedAccount(lookUpKey: new.lookUpKey)
        found.byAddress = try new.address.flatMap { try owner(ofAddress: $0.lookUpKey) }
        found.byPhone = try new.phone.flatMap { try identity(lookUpKey: $0.lookUpKey)?.account }
        for identity in new.identities where found.byIdentity == nil {
            found.byIdentity = try self.identity(lookUpKey: identity.lookUpKey)?.account
        }
        return found
    }
}

extension Transaction {
    /// Inserts all rows of an imported account.
    func insert(_ new: ImportedAccount) throws {
        let account = SQLValue.integer(new.account.key)
        try execute(
            """
            INSERT INTO accounts (account, status, created_at_ms, last_sign_in_at_ms)
            VALUES (?, ?, ?, ?)
            """,
            [
                account, .integer(new.status.rawValue), SQLValue(new.createdAt),
                new.lastSignInAt.map { SQLValue($0) } ?? .null,
            ])
        try insertProfile(
            of: new.account, sealedKey: new.sealedKey, sealedDisplayName: new.sealedDisplayName,
            language: new.language, sealedPhotoURL: new.sealedPhotoURL)
        try execute(
            """
            INSERT INTO imported_accounts (account, look_up_key, external_id, imported_at_ms)
            VALUES (?, ?, ?, ?)
            """,
            [account, .blob(new.lookUpKey), .blob(new.sealedExternalID), SQLValue(at)])
        try insertCredentials(new)
    }

    private func insertCredentials(_ new: ImportedAccount) throws {
        let account = SQLValue.integer(new.account.key)
        if let address = new.address { try insert(address, of: new.account) }
        if let hash = new.sealedHash {
            try execute(
                "INSERT INTO passwords (account, hash, changed_at_ms, scheme) VALUES (?, ?, ?, ?)",
                [account, .blob(hash), SQLValue(at), new.scheme.map { .text($0) } ?? .null])
        }
        if let claims = new.sealedClaims {
            try execute(
                "INSERT INTO custom_claims (account, document) VALUES (?, ?)",
                [account, .blob(claims)])
        }
        for identity in new.identities + (new.phone.map { [$0] } ?? []) {
            try insert(identity, isUsed: false)
        }
    }
}
