package import ServiceRuntime
package import Storage

/// Addresses that are sent nothing more, because a mail server has said that nobody lives there.
/// Mailing them on would cost the operator's good name with mail servers, and the mail of all.
///
/// Known by keyed hash alone. A stop ends by itself after `stoppedFor`, since mailboxes are opened
/// again and given to others, or by the operator's word.
package enum SuppressionList {
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
    private let keys: NotificationKeys
    private let time: any Time

    /// The list in `store`.
    package init(store: Store, keys: NotificationKeys, time: any Time) {
        self.store = store
        self.keys = keys
        self.time = time
    }

    /// Whether the address is stopped.
    func holds(_ address: MailAddress) async throws -> Bool {
        let now = time.now()
        let hashes = keys.stops(of: address)
        return try await store.read { try $0.stop(of: hashes, at: now) != nil }
    }
}

extension NotificationKeys {
    /// The keyed hashes under which an address may be stopped. New stops are kept under the first, its
    /// mailbox's.
    ///
    /// The second, of the address as it is written, is there where that differs: earlier versions
    /// stopped under it, and a stop of theirs lasts `SuppressionList.stoppedFor`. So does one that a
    /// message accepted by them brings.
    func stops(of address: MailAddress) -> [[UInt8]] {
        let (canonical, written) = (address.canonical, Array(address.text.utf8))
        return (written == canonical ? [canonical] : [canonical, written]).map(recipient)
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
            [SQLValue(at - SuppressionList.stoppedFor)])
        try audit(AuditEvent(.addressStopped, subject: hash))
    }

    /// Frees an address.
    /// - Parameter hashes: `NotificationKeys.stops`.
    /// - Returns: whether it was stopped.
    func releaseAddress(_ hashes: [[UInt8]]) throws -> Bool {
        var wasStopped = false
        for hash in hashes {
            let freed = try execute(
                "DELETE FROM stopped_address WHERE address_hash = ?", [.blob(hash)])
            guard freed > 0 else { continue }
            try audit(AuditEvent(.addressReleased, subject: hash))
            wasStopped = true
        }
        return wasStopped
    }
}

/// One address's stop.
struct AddressStop: Hashable, Sendable {
    /// The mail server's word.
    let reason: String
    let at: Timestamp

    /// When it ends by itself.
    var until: Timestamp { at + SuppressionList.stoppedFor }
}

extension SQLSession {
    /// The latest stop of an address; nil when it is not stopped at `now`.
    /// - Parameter hashes: `NotificationKeys.stops`.
    func stop(of hashes: [[UInt8]], at now: Timestamp) throws -> AddressStop? {
        let stops: [AddressStop] = try hashes.compactMap { hash in
            try queryOne(
                "SELECT reason, stopped_at_ms FROM stopped_address WHERE address_hash = ?",
                [.blob(hash)]
            ) { AddressStop(reason: try $0.text(0), at: try $0.timestamp(1)) }
        }
        return stops.filter { now < $0.until }.max { $0.at < $1.at }
    }
}
