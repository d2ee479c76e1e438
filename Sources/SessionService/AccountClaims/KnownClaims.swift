import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// The claims of an account that identity has sent, sealed, for the access tokens of its sessions
/// (I-10). They come with a sign-in's proof and by `SetAccountClaims`, in any order:
///
///     the known version       the version that arrives    is known from then on
///     none                    any                         the one that arrives
///     lower                   higher                      the one that arrives
///     the same, or higher     any other                   the known one
///
/// An account without claims has a row too, once it had some: otherwise a late message would bring a
/// role back that was taken away. The open sessions of an account with claims have the flag
/// `has_claims`, so that a refresh of any other reads nothing more.
struct KnownClaims: Hashable, Sendable {
    let version: Int64
    /// Nil for none.
    private let sealed: [UInt8]?

    /// Seals what identity has sent.
    init(_ sent: SentClaims, of account: AccountID, _ box: SealedBox) throws {
        version = sent.version
        let text = sent.claims.roles.joined(separator: " ") + "\n" + sent.claims.json
        sealed =
            sent.claims.isEmpty ? nil : try box.seal(Array(text.utf8), at: .claims(of: account))
    }

    /// Whether tokens have anything of it.
    var isEmpty: Bool { sealed == nil }

    /// The claims.
    /// - Throws: if they do not decrypt.
    func opened(of account: AccountID, _ box: SealedBox) throws -> AccountClaims {
        guard let sealed else { return AccountClaims() }
        let text = String(decoding: try box.open(sealed, at: .claims(of: account)), as: UTF8.self)
        // A role has no line end, and in JSON it is escaped.
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw ServiceError(.internalError, detail: "stored claims are malformed")
        }
        return AccountClaims(
            roles: parts[0].split(separator: " ").map(String.init), json: String(parts[1]))
    }
}

/// Claims with their version, as identity has sent them.
struct SentClaims: Hashable, Sendable {
    let claims: AccountClaims
    let version: Int64

    /// Whether they replace the known ones.
    func replace(_ known: KnownClaims) -> Bool { version > known.version }
}

extension SealedPlace {
    fileprivate static func claims(of account: AccountID) -> SealedPlace {
        SealedPlace(table: "account_claims", column: "sealed", row: account.key)
    }
}

extension SQLSession {
    /// The claims for the tokens of a session; nil for none.
    func claims(of session: Session) throws -> KnownClaims? {
        session.hasClaims ? try knownClaims(of: session.account) : nil
    }

    /// The claims of an account that identity has sent; nil if it has sent none.
    func knownClaims(of account: AccountID) throws -> KnownClaims? {
        try queryOne(
            "SELECT version, sealed FROM account_claims WHERE account = ?",
            [.integer(account.key)]
        ) { try KnownClaims($0) }
    }
}

extension KnownClaims {
    fileprivate init(_ row: SQLRow) throws {
        version = try row.integer(0)
        sealed = try row.optionalBlob(1)
    }

    fileprivate var values: [SQLValue] { [.integer(version), SQLValue(sealed)] }
}

extension Transaction {
    /// Stores what identity has sent if it replaces what is known, for the next tokens of all the
    /// account's open sessions. In a transaction about the account.
    /// - Returns: what is known from now on, and whether that changed.
    func take(
        _ sent: SentClaims, of account: AccountID, _ box: SealedBox
    ) throws -> (known: KnownClaims, changed: Bool) {
        if let known = try knownClaims(of: account), !sent.replace(known) { return (known, false) }
        let claims = try KnownClaims(sent, of: account, box)
        try put(
            """
            INSERT INTO account_claims (account, version, sealed) VALUES (?, ?, ?)
            ON CONFLICT (account) DO UPDATE
            SET version = excluded.version, sealed = excluded.sealed
            """,
            [.integer(account.key)] + claims.values)
        // Right whatever a refresh does at the same time: it writes other columns.
        try put(
            """
            UPDATE session SET has_claims = ?1
            WHERE account = ?2 AND ended_at_ms IS NULL AND has_claims <> ?1
            """,
            [SQLValue(!claims.isEmpty), .integer(account.key)])
        return (claims, true)
    }

    /// Forgets the claims of an account that is being deleted.
    /// - Returns: how many rows that were.
    func forgetClaims(of account: AccountID) throws -> Int {
        try execute(
            "DELETE FROM account_claims WHERE account = ?", [.integer(account.key)])
    }
}
