import Addresses
package import Contracts
import Cryptography
import JSON
package import ServiceRuntime
package import Storage

/// A row of `identities`.
package struct IdentityRow: Hashable, Sendable {
    /// The row's key.
    package let identity: Int64
    /// The account that signs in with it.
    package let account: AccountID
    /// The provider, or `phone`.
    package let method: SignInMethod
    /// An `IdentityDetails`, sealed under the account's key.
    package let sealedDetails: [UInt8]
    /// When it was linked.
    package let linkedAt: Timestamp
}

/// A new identity of an account.
package struct NewIdentity: Sendable {
    let identity: Int64
    let account: AccountID
    /// As `IdentityKeys.lookUpKey(of:)` derives it.
    package let lookUpKey: [UInt8]
    let method: SignInMethod
    let sealedDetails: [UInt8]

    /// Seals the details of a proved identity.
    /// - Parameter key: The row key; random.
    /// - Throws: when sealing fails.
    package init(
        _ proved: ProvedIdentity, of account: AccountID, key: Int64, _ vault: AccountVault,
        _ keys: IdentityKeys
    ) throws {
        identity = key
        self.account = account
        lookUpKey = keys.lookUpKey(of: proved)
        method = proved.method
        sealedDetails = try vault.seal(IdentityDetails(proved).text, .identityDetails(key))
    }
}

extension SQLSession {
    /// The identity with a look-up key, which `IdentityKeys.lookUpKey(of:)` derives from issuer and
    /// subject.
    /// - Throws: `SQLError`.
    package func identity(lookUpKey: [UInt8]) throws -> IdentityRow? {
        try queryOne(
            """
            SELECT \(IdentityRow.columns) FROM identities WHERE look_up_key = ?
            """, [.blob(lookUpKey)], IdentityRow.init)
    }

    /// An account's identities, oldest first.
    /// - Throws: `SQLError`.
    package func identities(of account: AccountID) throws -> [IdentityRow] {
        try query(
            """
            SELECT \(IdentityRow.columns) FROM identities WHERE account = ? ORDER BY linked_at_ms, identity
            """, [.integer(account.key)], IdentityRow.init)
    }
}

extension Transaction {
    /// Inserts an identity.
    /// - Parameter isUsed: Whether this counts as its first use. An imported identity has not been
    ///   used here.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` if another account has it, or the
    ///   account has an identity of this method.
    package func insert(_ new: NewIdentity, isUsed: Bool = true) throws {
        try put(
            """
            INSERT INTO identities (
                identity, account, look_up_key, method, details, linked_at_ms, last_used_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(new.identity), .integer(new.account.key), .blob(new.lookUpKey),
                .text(new.method.name), .blob(new.sealedDetails), SQLValue(at),
                isUsed ? SQLValue(at) : .null,
            ])
    }

    /// Records the time of a sign-in with an identity.
    func recordUse(_ identity: Int64) throws {
        try put(
            "UPDATE identities SET last_used_at_ms = ? WHERE identity = ?",
            [SQLValue(at), .integer(identity)])
    }

    /// Deletes an identity.
    func removeIdentity(_ identity: Int64) throws {
        try put("DELETE FROM identities WHERE identity = ?", [.integer(identity)])
    }
}

extension IdentityRow {
    /// The columns that `init` reads.
    fileprivate static let columns = "identity, account, method, details, linked_at_ms"

    fileprivate init(_ row: SQLRow) throws {
        identity = try row.integer("identity")
        account = try AccountID(stored: row.integer("account"))
        method = SignInMethod(name: try row.text("method"))
        sealedDetails = try row.blob("details")
        linkedAt = try row.timestamp("linked_at_ms")
    }
}

/// What names an identity, proved or stored.
package protocol IssuedIdentity {
    var issuer: String { get }
    /// The issuer's identifier of the person.
    var subject: String { get }
}

extension ProvedIdentity: IssuedIdentity {}
extension IdentityDetails: IssuedIdentity {}

extension IssuedIdentity {
    /// Issuer and subject, each with its length, so that no others can yield the same bytes.
    fileprivate var name: [UInt8] {
        DelimitedParts.joined([
            Array("identity".utf8), Array(issuer.utf8), Array(subject.utf8),
        ])
    }
}

extension IdentityKeys {
    /// The keyed hash by which an identity is looked up. It covers issuer and subject.
    package func lookUpKey(of identity: some IssuedIdentity) -> [UInt8] {
        identities.lookUpKey(identity.name)
    }

    /// The keyed hash of an identity in the audit trail. It uses a separate key, so that the trail
    /// cannot be joined with the accounts.
    func subject(of identity: some IssuedIdentity) -> [UInt8] { audit.lookUpKey(identity.name) }
}

extension Transaction {
    /// Uses a nonce (G-05).
    /// - Returns: false if it was used before, or may have been, because it is from before a
    ///   restore. Attack: an intercepted token is replayed.
    func use(_ nonce: UsedNonce) throws -> Bool {
        guard try !isVoidedByRestore(nonce) else { return false }
        let written = try execute(
            """
            INSERT INTO used_nonces (nonce_key, expires_at_ms) VALUES (?, ?)
            ON CONFLICT (nonce_key) DO NOTHING
            """,
            [.blob(nonce.key), SQLValue(nonce.expiresAt)])
        return written == 1
    }

    /// At a restore (`IdentityRestore`): voids the nonces that were issued until now, used or not.
    /// The copy has no row for those that were used after the backup.
    /// - Throws: `SQLError`.
    package func voidNonces() throws {
        try put(
            """
            INSERT INTO used_nonces (nonce_key, expires_at_ms) VALUES (?, ?)
            ON CONFLICT (nonce_key) DO UPDATE SET expires_at_ms = excluded.expires_at_ms
            """,
            [.blob(UsedNonce.allKey), SQLValue(at + Nonces.life + Nonces.rememberedBeyond)])
    }

    /// Whether a nonce was issued before this store was restored.
    private func isVoidedByRestore(_ nonce: UsedNonce) throws -> Bool {
        guard nonce.isIssued else { return false }
        return try queryOne(
            "SELECT expires_at_ms FROM used_nonces WHERE nonce_key = ?", [.blob(UsedNonce.allKey)]
        ) { nonce.expiresAt <= (try $0.timestamp(0)) } ?? false
    }
}

extension UsedNonce {
    /// The key of the row that stands for all nonces which expire no later than it does. No nonce
    /// hashes to it, except with a probability of 2^-128. The row is purged like the others.
    fileprivate static let allKey = [UInt8](repeating: 0, count: KeyedHash.lookUpKeyBytes)
}

/// The details of an identity beside its look-up hash, sealed under its account's key. They are as
/// the issuer reported them when the identity was linked.
package struct IdentityDetails: Hashable, Sendable {
    /// The issuer, as in `ProvedIdentity`.
    package let issuer: String
    /// The issuer's identifier of the person; for a phone, the number in E.164.
    package let subject: String
    /// As the issuer reported it, verified or not; empty for none.
    package let email: String
    /// Whether the email is a relay address of the provider.
    let isRelay: Bool
    /// The name that the issuer reported; empty for none.
    package let displayName: String

    /// The details that a token or a phone code proved.
    init(_ proved: ProvedIdentity) {
        issuer = proved.issuer
        subject = proved.subject
        email = proved.email?.address.entered ?? ""
        isRelay = proved.email?.isRelay ?? false
        displayName = ShownProfile(proved).displayName ?? ""
    }

    /// The text that is sealed: JSON, so that a later version can add fields.
    var text: String {
        JSONWriter.text([
            "issuer": .string(issuer), "subject": .string(subject), "email": .string(email),
            "relay": .boolean(isRelay), "name": .string(displayName),
        ])
    }

    /// Parses `text`.
    /// - Throws: `rpc/internal` if it is malformed: only this service writes it.
    package init(text: String) throws(ServiceError) {
        guard let details = JSONReader.object(in: Array(text.utf8)),
            let issuer = details["issuer"]?.string, let subject = details["subject"]?.string
        else { throw ServiceError(.internalError, detail: "an identity's details are malformed") }
        self.issuer = issuer
        self.subject = subject
        email = details["email"]?.string ?? ""
        isRelay = details["relay"] == .boolean(true)
        displayName = details["name"]?.string ?? ""
    }

    /// A hint by which the owner recognises the identity: the email, or the last digits of a phone
    /// number.
    func hint(method: SignInMethod) -> String {
        method == .phone ? "…" + subject.suffix(Self.digitsShown) : email
    }

    private static let digitsShown = 4
}
