import Contracts
import ServiceRuntime
import Storage

/// Stores the waits that are being counted, once a second. A process that is killed therefore
/// leaves no flood unrecorded; it loses only the count of its last second.
struct HitStore: Sendable {
    private let store: Store

    init(_ store: Store) {
        self.store = store
    }

    /// The waits that were being counted when the last process ended.
    func hits() async throws -> [LimitHit] {
        try await store.read { session in
            try session.query(
                """
                SELECT limit_number, subject, since_ms, until_ms, refused, attempt FROM hits
                """
            ) { row -> LimitHit? in
                // A limit that this version does not know belongs to a newer version; its row is
                // kept.
                guard let number = UInt16(exactly: try row.integer(0)),
                    let limit = LimitName(number: number)
                else { return nil }
                return LimitHit(
                    key: LimitKey(limit: number, hash: try row.blob(1)), limit: limit,
                    since: Timestamp(milliseconds: try row.integer(2)),
                    until: Timestamp(milliseconds: try row.integer(3)),
                    refused: Int(clamping: try row.integer(4)),
                    attempt: Int(clamping: try row.integer(5)))
            }.compactMap(\.self)
        }
    }

    /// Writes the changed waits, and the audit events of those that are over.
    func write(over: [LimitHit], changed: [LimitHit]) async throws {
        _ = try await store.write { transaction in
            for hit in over {
                try transaction.audit(hit.event)
                try Self.forget(hit, transaction)
            }
            for hit in changed { try Self.keep(hit, transaction) }
        }
    }

    /// Writes one audit event immediately.
    func audit(_ event: AuditEvent) async throws {
        try await store.write { try $0.audit(event) }
    }

    /// By its start too, because another wait of the subject may have started since.
    private static func forget(_ hit: LimitHit, _ transaction: Transaction) throws {
        try transaction.execute(
            "DELETE FROM hits WHERE limit_number = ? AND subject = ? AND since_ms = ?",
            [.integer(Int64(hit.limit.number)), .blob(hit.key.hash), SQLValue(hit.since)])
    }

    private static func keep(_ hit: LimitHit, _ transaction: Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO hits (limit_number, subject, since_ms, until_ms, refused, attempt)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (limit_number, subject) DO UPDATE SET
                since_ms = excluded.since_ms, until_ms = excluded.until_ms,
                refused = excluded.refused, attempt = excluded.attempt
            """,
            [
                .integer(Int64(hit.limit.number)), .blob(hit.key.hash), SQLValue(hit.since),
                SQLValue(hit.until), .integer(Int64(hit.refused)), .integer(Int64(hit.attempt)),
            ])
    }
}
