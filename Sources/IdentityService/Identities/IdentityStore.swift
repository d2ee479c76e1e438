import Cryptography
import ServiceRuntime
import Storage

/// An identity as the store keeps it.
struct IdentityRow: Hashable, Sendable {
    let identity: Int64
    let account: AccountID
    /// "google", "apple", another provider's name, "phone".
    let method: String
    let sealedDetails: [UInt8]
    /// What revokes its grant at the provider; nil for none.
    let sealedGrant: [UInt8]?
    let linkedAt: Timestamp
}

/// An identity that an account is about to have.
struct NewIdentity: Sendable {
    let identity: Int64
    let account: AccountID
    let lookUpKey: [UInt8]
    let method: String
    let sealedDetails: [UInt8]

    /// Seals what is told of it.
    /// - Parameter key: Of its row; random.
    init(
        _ proved: ProvedIdentity, of account: AccountID, key: Int64, _ vault: AccountVault,
        _ parts: IdentityParts
    ) throws {
        identity = key
        self.account = account
        lookUpKey = parts.keys.lookUpKey(of: proved)
        method = proved.method
        sealedDetails = try vault.seal(IdentityDetails(proved).text, .identityDetails(key))
    }
}

extension SQLSession {
    /// The identity of an issuer's subject, by `IdentityKeys.lookUpKey(of:)`.
    func identity(lookUpKey: [UInt8]) throws -> IdentityRow? {
        try queryOne(
            """
            SELECT identity, account, method, details, sealed_grant, linked_at_ms
            FROM identities WHERE look_up_key = ?
            """, [.blob(lookUpKey)], IdentityRow.init)
    }

    /// An account's identities, the oldest first.
    func identities(of account: AccountID) throws -> [IdentityRow] {
        try query(
            """
            SELECT identity, account, method, details, sealed_grant, linked_at_ms
            FROM identities WHERE account = ? ORDER BY linked_at_ms, identity
            """, [.integer(account.key)], IdentityRow.init)
    }
}

extension Transaction {
    /// Writes an identity.
    /// - Parameter isUsed: That it is proved just now counts as its first use; one from elsewhere has
    ///   not been used here.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` when it is another account's, or the
    ///   account has one of this method.
    func insert(_ new: NewIdentity, isUsed: Bool = true) throws {
        try execute(
            """
            INSERT INTO identities (
                identity, account, look_up_key, method, details, linked_at_ms, last_used_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(new.identity), .integer(new.account.key), .blob(new.lookUpKey),
                .text(new.method), .blob(new.sealedDetails), SQLValue(at),
                isUsed ? SQLValue(at) : .null,
            ])
    }

    /// Notes a sign-in by an identity.
    func noteUse(_ identity: Int64) throws {
        try execute(
            "UPDATE identities SET last_used_at_ms = ? WHERE identity = ?",
            [SQLValue(at), .integer(identity)])
    }

    /// Takes an identity away from its account.
    func removeIdentity(_ identity: Int64) throws {
        try execute("DELETE FROM identities WHERE identity = ?", [.integer(identity)])
    }
}

extension IdentityRow {
    fileprivate init(_ row: SQLRow) throws {
        identity = try row.integer(0)
        account = try AccountID(stored: row.integer(1))
        method = try row.text(2)
        sealedDetails = try row.blob(3)
        sealedGrant = try row.optionalBlob(4)
        linkedAt = try row.timestamp(5)
    }
}

extension IdentityKeys {
    /// The keyed hash by which an identity is found: of its issuer and subject, each behind its
    /// length, so that no other issuer can name a subject that reads the same.
    func lookUpKey(of proved: ProvedIdentity) -> [UInt8] {
        identities.lookUpKey(name(issuer: proved.issuer, subject: proved.subject))
    }

    /// The same, of an identity that is kept.
    func lookUpKey(of details: IdentityDetails) -> [UInt8] {
        identities.lookUpKey(name(issuer: details.issuer, subject: details.subject))
    }

    /// The keyed hash of an identity in the audit trail: another one, so that the trail cannot be
    /// joined with the accounts by it.
    func subject(of proved: ProvedIdentity) -> [UInt8] {
        audit.lookUpKey(name(issuer: proved.issuer, subject: proved.subject))
    }

    /// The same, of an identity that is kept.
    func subject(of details: IdentityDetails) -> [UInt8] {
        audit.lookUpKey(name(issuer: details.issuer, subject: details.subject))
    }

    private func name(issuer: String, subject: String) -> [UInt8] {
        DelimitedParts.joined([
            Array("identity".utf8), Array(issuer.utf8), Array(subject.utf8),
        ])
    }
}
