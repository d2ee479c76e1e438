import ServiceRuntime
import Storage

/// The rings on disk: one row for each limit and subject, its moments as one blob.
struct RateLimitStore: Sendable {
    private let store: Store

    init(_ store: Store) {
        self.store = store
    }

    /// The schema of `ratelimit.sqlite`.
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE rings (
                    ring INTEGER PRIMARY KEY,
                    limit_number INTEGER NOT NULL,
                    subject BLOB NOT NULL,
                    moments BLOB NOT NULL,
                    ends_at INTEGER NOT NULL
                ) STRICT;
                CREATE UNIQUE INDEX rings_by_subject ON rings (limit_number, subject);
                CREATE INDEX rings_by_end ON rings (ends_at);
                """)
    ]

    /// Every ring that still counts at `now`.
    func rings(at now: Timestamp) async throws -> [(RingKey, ExactRing)] {
        try await store.read { session in
            try session.query(
                "SELECT limit_number, subject, moments FROM rings WHERE ends_at > ?",
                [.integer(now.milliseconds)]
            ) { row -> (RingKey, ExactRing)? in
                // A limit that this version does not know is a newer one's; it is left alone.
                guard let limit = LimitName(number: try row.integer(0)) else { return nil }
                let key = RingKey(limit: limit, subject: try row.blob(1))
                return (key, ExactRing(encoded: try row.blob(2)))
            }.compactMap(\.self)
        }
    }

    /// Writes the rings as `current` gives them at that moment, so that of two charges in flight
    /// the later commit always bears the later state; returns once they are on disk.
    func save(
        _ keys: [RingKey], audit event: AuditEvent?,
        current: @escaping @Sendable (RingKey) -> ExactRing
    ) async throws {
        try await store.write { transaction in
            for key in keys { try Self.save(key, current(key), transaction) }
            if let event { try transaction.audit(event) }
        }
    }

    private static func save(
        _ key: RingKey, _ ring: ExactRing, _ transaction: Transaction
    ) throws {
        guard let end = ring.end(key.limit.rule) else {
            try transaction.execute(
                "DELETE FROM rings WHERE limit_number = ? AND subject = ?",
                [.integer(key.limit.number), .blob(key.subject)])
            return
        }
        try transaction.execute(
            """
            INSERT INTO rings (limit_number, subject, moments, ends_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (limit_number, subject)
            DO UPDATE SET moments = excluded.moments, ends_at = excluded.ends_at
            """,
            [
                .integer(key.limit.number), .blob(key.subject), .blob(ring.encoded),
                .integer(end.milliseconds),
            ])
    }

    /// Drops the rings that no longer count at `now`.
    func purge(at now: Timestamp) async throws {
        _ = try await store.write { transaction in
            try transaction.execute(
                "DELETE FROM rings WHERE ends_at <= ?", [.integer(now.milliseconds)])
        }
    }
}

extension ExactRing {
    /// The moments, eight bytes each, big-endian.
    var encoded: [UInt8] {
        moments.flatMap { moment in
            withUnsafeBytes(of: moment.milliseconds.bigEndian) { Array($0) }
        }
    }

    /// Reads `encoded`; a rest of less than eight bytes is left out.
    init(encoded: [UInt8]) {
        let moments = stride(from: 0, to: encoded.count - encoded.count % 8, by: 8).map { start in
            let bits = encoded[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Timestamp(milliseconds: Int64(bitPattern: bits))
        }
        self.init(moments.sorted())
    }
}
