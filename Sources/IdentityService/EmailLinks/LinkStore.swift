import ServiceRuntime
import Storage

/// A new link, bound to its purpose, its account and the address that it is sent to.
struct NewLink: Hashable, Sendable {
    let key: Int64
    let tokenHash: [UInt8]
    let purpose: LinkPurpose
    let account: AccountID
    /// Keyed hash of the address.
    let addressKey: [UInt8]
    let expiresAt: Timestamp
}

/// A valid link.
struct Link: Hashable, Sendable {
    let key: Int64
    let account: AccountID
    /// Keyed hash of the address that it was sent to.
    let addressKey: [UInt8]
}

extension SQLSession {
    /// The link of a token; nil if it has expired or was used.
    func link(
        _ purpose: LinkPurpose, tokenHash: [UInt8], at moment: Timestamp
    ) throws -> Link? {
        try queryOne(
            """
            SELECT link, account, address_key FROM links
            WHERE token_hash = ? AND purpose = ? AND expires_at_ms > ?
            """,
            [.blob(tokenHash), .integer(purpose.rawValue), SQLValue(moment)]
        ) { row in
            Link(
                key: try row.integer(0), account: try AccountID(stored: row.integer(1)),
                addressKey: try row.blob(2))
        }
    }
}

extension Transaction {
    /// Inserts a link, and purges some expired ones.
    func insert(_ link: NewLink) throws {
        try purge("links", key: "link", expiry: "expires_at_ms", until: at)
        try execute(
            """
            INSERT INTO links (link, token_hash, purpose, account, address_key, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(link.key), .blob(link.tokenHash), .integer(link.purpose.rawValue),
                .integer(link.account.key), .blob(link.addressKey), SQLValue(link.expiresAt),
            ])
    }

    /// Deletes all links of an account, of every purpose: after a reset or a takeover, no earlier
    /// link may work.
    func removeLinks(of account: AccountID) throws {
        try execute("DELETE FROM links WHERE account = ?", [.integer(account.key)])
    }

    /// Uses a link up, together with the account's other links of that purpose.
    func removeLinks(_ purpose: LinkPurpose, of account: AccountID) throws {
        try execute(
            "DELETE FROM links WHERE account = ? AND purpose = ?",
            [.integer(account.key), .integer(purpose.rawValue)])
    }
}
