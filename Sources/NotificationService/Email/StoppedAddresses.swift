package import ServiceRuntime
package import Storage

/// Addresses that are sent nothing more, because a mail server has said that nobody lives there.
/// Mailing them on would cost the operator's good name with mail servers, and the mail of all.
///
/// Known by keyed hash alone. A stop ends by itself after `stoppedFor`, since mailboxes are opened
/// again and given to others, or by the operator's word.
package enum StoppedAddresses {
    /// How long an address is left alone.
    package static let stoppedFor: Duration = .seconds(90 * 24 * 3_600)
    /// The word for a message that was not sent for this reason.
    static let reason = "address-stopped"

    /// The table, as the schema's step `number`.
    static func migration(number: Int) -> Migration {
        Migration(
            number: number,
            sql: """
                CREATE TABLE stopped_address (
                    number INTEGER PRIMARY KEY,
                    address_hash BLOB NOT NULL,
                    reason TEXT NOT NULL,
                    stopped_at_ms INTEGER NOT NULL
                ) STRICT;
                CREATE UNIQUE INDEX stopped_address_hash ON stopped_address (address_hash);
                CREATE INDEX stopped_address_age ON stopped_address (stopped_at_ms);
                """)
    }
}

/// The list as the email channel asks it.
package struct StoppedAddressList: Sendable {
    private let store: Store
    private let time: any Time

    /// The list in `store`.
    package init(store: Store, time: any Time) {
        self.store = store
        self.time = time
    }

    /// Whether the address of this keyed hash is stopped.
    func holds(_ hash: [UInt8]) async throws -> Bool {
        let now = time.now()
        return try await store.read { try $0.stop(of: hash, at: now) != nil }
    }
}

extension Transaction {
    /// Notes that an address is dead; the latest word counts.
    func stopAddress(_ hash: [UInt8], reason: String) throws {
        try execute(
            """
            INSERT INTO stopped_address (address_hash, reason, stopped_at_ms) VALUES (?1, ?2, ?3)
            ON CONFLICT (address_hash) DO UPDATE SET reason = ?2, stopped_at_ms = ?3
            """,
            [.blob(hash), .text(reason), SQLValue(at)])
        // Each stop clears up after old ones, so the table holds no more than it must.
        try execute(
            "DELETE FROM stopped_address WHERE stopped_at_ms < ?",
            [SQLValue(at - StoppedAddresses.stoppedFor)])
        try audit(AuditEvent(.addressStopped, subject: hash))
    }

    /// Frees an address.
    /// - Returns: whether it was stopped.
    func releaseAddress(_ hash: [UInt8]) throws -> Bool {
        let freed = try execute(
            "DELETE FROM stopped_address WHERE address_hash = ?", [.blob(hash)])
        if freed > 0 { try audit(AuditEvent(.addressReleased, subject: hash)) }
        return freed > 0
    }
}

/// One address's stop.
struct AddressStop: Hashable, Sendable {
    /// The mail server's word.
    let reason: String
    let at: Timestamp

    /// When it ends by itself.
    var until: Timestamp { at + StoppedAddresses.stoppedFor }
}

extension SQLSession {
    /// The stop of an address; nil when it is not stopped at `now`.
    func stop(of hash: [UInt8], at now: Timestamp) throws -> AddressStop? {
        let stop = try queryOne(
            "SELECT reason, stopped_at_ms FROM stopped_address WHERE address_hash = ?",
            [.blob(hash)]
        ) { AddressStop(reason: try $0.text(0), at: try $0.timestamp(1)) }
        return stop.flatMap { now < $0.until ? $0 : nil }
    }
}
