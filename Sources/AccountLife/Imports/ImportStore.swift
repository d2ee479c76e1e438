package import IdentityService
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
        for key in new.phoneKeys where found.byPhone == nil {
            found.byPhone = try identity(lookUpKey: key)?.account
        }
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
        try put(
            """
            INSERT INTO accounts (
                account, status, created_at_ms, last_sign_in_at_ms, onboarding_set)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                account, .integer(new.status.rawValue), SQLValue(new.createdAt),
                new.lastSignInAt.map { SQLValue($0) } ?? .null,
                new.isOnboarded ? SQLValue(true) : .null,
            ])
        try insertProfile(
            of: new.account, sealedKey: new.sealedKey, sealedDisplayName: new.sealedDisplayName,
            language: new.language, sealedPhotoURL: new.sealedPhotoURL,
            isNameEdited: new.isNamed, isPhotoEdited: new.sealedPhotoURL != nil,
            isComplete: true)
        try put(
            """
            INSERT INTO imported_accounts (account, look_up_key, external_id, imported_at_ms)
            VALUES (?, ?, ?, ?)
            """,
            [account, .blob(new.lookUpKey), .blob(new.sealedExternalID), SQLValue(at)])
        try insertCredentials(new)
        try giveImported(new.acceptance, to: new.account)
    }

    /// Records what the person agreed to in the other system; the time is the import's.
    private func giveImported(_ acceptance: Acceptance, to account: AccountID) throws {
        let versions = acceptance.versions
        let given: [(kind: ConsentKind, version: String, isGiven: Bool)] = [
            (.terms, versions.terms, !versions.terms.isEmpty),
            (.privacy, versions.privacy, !versions.privacy.isEmpty),
            (.marketing, versions.privacy, acceptance.marketing),
            (.analytics, versions.privacy, acceptance.analytics),
        ]
        for consent in given where consent.isGiven {
            try give(consent.kind, version: consent.version, to: account, by: .imported, in: nil)
        }
    }

    private func insertCredentials(_ new: ImportedAccount) throws {
        let account = SQLValue.integer(new.account.key)
        if let address = new.address { try insert(address, of: new.account) }
        if let hash = new.sealedHash {
            try put(
                "INSERT INTO passwords (account, hash, changed_at_ms, scheme) VALUES (?, ?, ?, ?)",
                [account, .blob(hash), SQLValue(at), new.scheme.map { .text($0) } ?? .null])
        }
        if let claims = new.claims { try store(claims, of: new.account) }
        for identity in new.identities + (new.phone.map { [$0] } ?? []) {
            try insert(identity, isUsed: false)
        }
        for factor in new.factors { try insert(factor, of: new.account) }
        for passkey in new.passkeys {
            try insertImported(
                passkey.stored, of: new.account, addedAt: passkey.addedAt ?? new.createdAt)
        }
    }
}

extension ImportsHandler {
    /// An account with everything that an export contains.
    struct ExportedRow: Sendable {
        let row: AccountRow
        let sealedHash: [UInt8]?
        let sealedExternalID: [UInt8]?
        let identities: [IdentityRow]
        let factors: [SecondFactorRow]
        let passkeys: [PasskeyRow]
        let isOnboarded: Bool
    }
}

extension SQLSession {
    /// The export of an account; the row is nil if the account is left out.
    func exported(
        _ account: AccountID, withHash: Bool, _ answers: AccountAnswers
    ) throws -> (account: AccountID, row: ImportsHandler.ExportedRow?) {
        guard let row = try self.account(account), row.status != .deleting, !row.isGuest else {
            return (account, nil)
        }
        func blob(_ sql: String) throws -> [UInt8]? {
            try queryOne(sql, [.integer(account.key)]) { try $0.blob(0) }
        }
        let exported = ImportsHandler.ExportedRow(
            row: row,
            sealedHash: withHash
                ? try blob(
                    """
                    SELECT hash FROM passwords
                    WHERE account = ? AND \(IdentityTables.passwordCounts)
                    """) : nil,
            sealedExternalID: try blob(
                "SELECT external_id FROM imported_accounts WHERE account = ?"),
            identities: try identities(of: account),
            factors: withHash ? try secondFactors(of: account) : [],
            passkeys: try passkeys(of: account),
            isOnboarded: try answers.facts(row, in: self).isOnboarded)
        return (account, exported)
    }
}

/// The tables for imported accounts.
extension IdentityTables {
    /// External ids, looked up by a keyed hash of system and id; custom claims; the parameters that
    /// the hashes of a Firebase project share, stored once; the scheme of each password hash that
    /// is not ours, with an index of these hashes only; and the schemes that our own hashes ever
    /// had.
    package static let imports = """
        CREATE TABLE hash_parameters (
            parameters INTEGER PRIMARY KEY,
            look_up_key BLOB NOT NULL,
            sealed BLOB NOT NULL,
            kept_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX hash_parameters_by_look_up_key ON hash_parameters (look_up_key);
        CREATE TABLE imported_accounts (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            look_up_key BLOB NOT NULL,
            external_id BLOB NOT NULL,
            imported_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX imported_accounts_by_look_up_key ON imported_accounts (look_up_key);
        CREATE TABLE custom_claims (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            document BLOB NOT NULL
        ) STRICT;
        ALTER TABLE passwords ADD COLUMN scheme TEXT;
        CREATE INDEX passwords_by_scheme ON passwords (scheme) WHERE scheme IS NOT NULL;
        CREATE TABLE own_password_schemes (
            scheme INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL
        ) STRICT;
        """
}
