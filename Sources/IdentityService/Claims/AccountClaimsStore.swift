package import Contracts
package import ServiceRuntime
package import Storage

/// The claims of an account (`AccountClaims`) as stored: sealed, with their version.
///
/// Each change raises the version, to its time in milliseconds at least. So after a restored backup
/// it is still higher than those which the lost store gave, and session takes it over. Claims of
/// another system that an earlier release has imported have the version 0 until `UnsentClaims` has
/// sent them.
package struct StoredClaims: Hashable, Sendable {
    /// From 1; 0 for imported claims that are in no token yet.
    package let version: Int64
    /// Nil for none.
    private let sealedRoles: [UInt8]?
    private let sealedJSON: [UInt8]

    /// Seals claims for the row of their account.
    /// - Throws: when sealing fails.
    package init(_ claims: AccountClaims, version: Int64, in vault: AccountVault) throws {
        self.version = version
        sealedRoles =
            claims.roles.isEmpty
            ? nil : try vault.seal(claims.roles.joined(separator: " "), .roles)
        sealedJSON = try vault.seal(claims.json, .customClaims)
    }

    /// The claims. Of imported ones only what may be in a token.
    /// - Throws: if they do not decrypt.
    package func opened(_ vault: AccountVault) throws -> AccountClaims {
        let json = try vault.open(sealedJSON, .customClaims)
        guard version > 0 else {
            return AccountClaims.imported(json: json)?.claims ?? AccountClaims()
        }
        let roles = try sealedRoles.map { try vault.open($0, .roles) } ?? ""
        return AccountClaims(roles: roles.split(separator: " ").map(String.init), json: json)
    }

    /// The stored text of imported claims, whatever is in it.
    func openedText(_ vault: AccountVault) throws -> String {
        try vault.open(sealedJSON, .customClaims)
    }
}

extension StoredClaims {
    /// The columns that `init(optional:)` reads.
    static let columns = """
        custom_claims.version AS claims_version, custom_claims.roles AS claims_roles,
                custom_claims.document AS claims_document
        """

    /// Parses a row of `columns`; nil for an account without a row.
    init?(optional row: SQLRow) throws {
        guard let version = try row.optionalInteger("claims_version") else { return nil }
        self.version = version
        sealedRoles = try row.optionalBlob("claims_roles")
        sealedJSON = try row.blob("claims_document")
    }

    /// The values of a row of `custom_claims`, without its account.
    fileprivate var values: [SQLValue] {
        [.integer(version), SQLValue(sealedRoles), .blob(sealedJSON)]
    }
}

extension AccountReader {
    /// The claims of an account, and their version; nil for an account that never had any. Of those
    /// that an earlier release has imported the version may be 0.
    /// - Throws: if the account's key does not decrypt.
    package func claims(
        of row: AccountRow
    ) throws -> (claims: AccountClaims, version: Int64)? {
        guard let stored = row.claims else { return nil }
        return (try stored.opened(vault(row)), stored.version)
    }
}

extension Transaction {
    /// Replaces the claims of an account, which this transaction also enqueues for session, or which
    /// its first sign-in takes there.
    /// - Throws: `SQLError`.
    package func store(_ claims: StoredClaims, of account: AccountID) throws {
        try put(
            """
            INSERT INTO custom_claims (account, version, roles, document, is_sent)
            VALUES (?, ?, ?, ?, 1)
            ON CONFLICT (account) DO UPDATE SET
                version = excluded.version, roles = excluded.roles, document = excluded.document,
                is_sent = excluded.is_sent
            """,
            [.integer(account.key)] + claims.values)
    }

    /// After a restored backup: session may know claims of the lost store, with later versions. All
    /// are sent again, with higher ones.
    /// - Throws: `SQLError`.
    package func sendClaimsAgain() throws {
        try put(
            """
            UPDATE custom_claims SET
                version = CASE WHEN version < ?1 THEN ?1 ELSE version + 1 END, is_sent = 0
            WHERE version > 0
            """,
            [SQLValue(at)])
    }
}

/// The columns that make an import's claims those of an account.
extension IdentityTables {
    /// `is_sent` is 0 for rows that `UnsentClaims` has to send: those of earlier releases, and all
    /// after a restored backup.
    package static let accountClaims = """
        ALTER TABLE custom_claims ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE custom_claims ADD COLUMN roles BLOB;
        ALTER TABLE custom_claims ADD COLUMN is_sent INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX custom_claims_unsent ON custom_claims (account) WHERE is_sent = 0;
        """
}
