import ServiceRuntime
import Storage

/// An identity as far as notices go.
struct NoticedIdentity: Hashable, Sendable {
    /// Its row.
    let identity: Int64
    let account: AccountID
    let method: String
    let sealedDetails: [UInt8]
    /// When it was linked, or last signed in by.
    let usedAt: Timestamp
    /// When its relay was last told of.
    let relayToldAt: Timestamp?
}

extension SQLSession {
    /// The identity that a look-up key finds.
    func noticedIdentity(lookUpKey: [UInt8]) throws -> NoticedIdentity? {
        try queryOne(
            """
            SELECT identity, account, method, details, max(linked_at_ms, ifnull(last_used_at_ms, 0)),
                relay_told_at_ms
            FROM identities WHERE look_up_key = ?
            """, [.blob(lookUpKey)]
        ) {
            NoticedIdentity(
                identity: try $0.integer(0), account: try AccountID(stored: $0.integer(1)),
                method: try $0.text(2), sealedDetails: try $0.blob(3),
                usedAt: try $0.timestamp(4), relayToldAt: try $0.optionalTimestamp(5))
        }
    }
}

extension Transaction {
    /// Notes that a notice was taken.
    /// - Returns: false where it was before.
    func noteProviderNotice(_ key: [UInt8], until expiry: Timestamp) throws -> Bool {
        try purge("provider_notices", key: "notice", expiry: "expires_at_ms", until: at)
        let written = try execute(
            """
            INSERT INTO provider_notices (notice_key, expires_at_ms) VALUES (?, ?)
            ON CONFLICT (notice_key) DO NOTHING
            """,
            [.blob(key), SQLValue(expiry)])
        return written == 1
    }

    /// Notes of when the latest word on an identity's relay is.
    func setRelayTold(_ identity: Int64, at moment: Timestamp) throws {
        try execute(
            "UPDATE identities SET relay_told_at_ms = ? WHERE identity = ?",
            [SQLValue(moment), .integer(identity)])
    }
}
