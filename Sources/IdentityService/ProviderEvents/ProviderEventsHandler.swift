import Contracts
import Logging
import ServiceRuntime
import Storage

/// `receiveProviderNotice` of `postern.gateway.v1.ProviderNotices`: notices from providers about
/// their users (G-04, G-05).
struct ProviderEventsHandler: IdentityProviderNoticesService, AccountWriting {
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let logger: Logger
    /// Verify the notices.
    let providers: Providers
}

/// The columns of an identity that notices need.
struct NoticedIdentity: Hashable, Sendable {
    /// The row's key.
    let identity: Int64
    let account: AccountID
    let method: SignInMethod
    let sealedDetails: [UInt8]
    /// When it was linked, or last used for a sign-in.
    let usedAt: Timestamp
    /// Time of the last processed relay event; nil for none.
    let relayToldAt: Timestamp?
}

extension SQLSession {
    /// The identity with a look-up key; nil for none.
    func noticedIdentity(lookUpKey: [UInt8]) throws -> NoticedIdentity? {
        try queryOne(
            """
            SELECT identity, account, method, details, relay_told_at_ms,
                CASE WHEN last_used_at_ms > linked_at_ms
                    THEN last_used_at_ms ELSE linked_at_ms END AS used_at_ms
            FROM identities WHERE look_up_key = ?
            """, [.blob(lookUpKey)]
        ) {
            NoticedIdentity(
                identity: try $0.integer("identity"),
                account: try AccountID(stored: $0.integer("account")),
                method: SignInMethod(name: try $0.text("method")),
                sealedDetails: try $0.blob("details"),
                usedAt: try $0.timestamp("used_at_ms"),
                relayToldAt: try $0.optionalTimestamp("relay_told_at_ms"))
        }
    }
}

extension Transaction {
    /// Stores the id of a notice until `expiry`.
    /// - Returns: false when it was stored before.
    func recordProviderNotice(_ key: [UInt8], until expiry: Timestamp) throws -> Bool {
        let written = try execute(
            """
            INSERT INTO provider_notices (notice_key, expires_at_ms) VALUES (?, ?)
            ON CONFLICT (notice_key) DO NOTHING
            """,
            [.blob(key), SQLValue(expiry)])
        return written == 1
    }

    /// Stores the time of the last processed relay event of an identity.
    func setRelayTold(_ identity: Int64, at moment: Timestamp) throws {
        try put(
            "UPDATE identities SET relay_told_at_ms = ? WHERE identity = ?",
            [SQLValue(moment), .integer(identity)])
    }
}

/// The schema that notices add to the identity service.
extension IdentityTables {
    /// `provider_notices`: processed notices, by a keyed hash of issuer and `jti`, kept until they
    /// would be rejected for their age. `relay_told_at_ms`: time of the identity's last processed
    /// relay event, so that a late notice changes nothing.
    package static let providerNotices = """
        CREATE TABLE provider_notices (
            notice INTEGER PRIMARY KEY AUTOINCREMENT,
            notice_key BLOB NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX provider_notices_by_key ON provider_notices (notice_key);
        CREATE INDEX provider_notices_by_expiry ON provider_notices (expires_at_ms);
        ALTER TABLE identities ADD COLUMN relay_told_at_ms INTEGER;
        """
}
