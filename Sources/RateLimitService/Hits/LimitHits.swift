import Contracts
import CoreMetrics
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Reports limits that were reached: in the metrics immediately, in the log for the severe ones, in
/// the audit trail once for each limit, subject and wait. Also reports credential stuffing,
/// and a table without capacity.
final class LimitHits: Sendable {
    /// How often the counts are written.
    static let interval = Duration.seconds(1)

    private let tally: Mutex<HitTally>
    private let store: Store
    private let logger: Logger
    private let refused: [Counter]
    private let shadowed: [Counter]
    private let alarms = Counter(label: "limits_stuffing_alarms")
    private let shared = Counter(label: "limits_pooled")
    private let fullThrottle: LogThrottle
    private let devicesThrottle: LogThrottle
    private let sitesThrottle: LogThrottle

    /// Continues the waits of the process before this one.
    init(_ store: Store, time: any Time, logger: Logger) async throws {
        self.store = store
        self.logger = logger
        fullThrottle = LogThrottle(time: time)
        devicesThrottle = LogThrottle(time: time)
        sitesThrottle = LogThrottle(time: time)
        var tally = HitTally()
        for hit in try await store.read({ try $0.hits() }) { tally.restore(hit) }
        self.tally = Mutex(tally)
        refused = Self.counters("limits_refused")
        shadowed = Self.counters("limits_shadow_hits")
    }

    /// Counts a refusal.
    /// - Returns: whether it is the first of its wait.
    func record(
        _ limit: LimitName, _ key: LimitKey, _ verdict: LimitVerdict, at now: Timestamp
    ) -> Bool {
        refused[Int(limit.number)].increment()
        let isFirst = tally.withLock { $0.record(limit, key, verdict, at: now) }
        guard isFirst, limit.isAlarming else { return isFirst }
        logger.warning(
            "limits.abuse.suspected", "repeated wrong codes or repeated message requests",
            fields: [.limit: .text(limit.rawValue), .attempt: .count(verdict.attempt)])
        return isFirst
    }

    /// Counts an attempt that would have been refused if the limit were not in shadow mode.
    func recordShadow(_ limit: LimitName) { shadowed[Int(limit.number)].increment() }

    /// Writes the waits that are over or have changed.
    func write(at now: Timestamp) async {
        let (over, changed) = tally.withLock { $0.take(at: now) }
        guard !over.isEmpty || !changed.isEmpty else { return }
        do {
            try await store.write(about: [.table("hits")], evenIfCancelled: true) { transaction in
                for hit in over {
                    try transaction.audit(hit.event)
                    try transaction.delete(hit)
                }
                for hit in changed { try transaction.insert(hit) }
            }
        } catch {
            // The disk may be full for a while. Until then the waits stay in memory and are counted
            // further.
            tally.withLock { $0.giveBack(over, changed) }
            logger.warning(
                "limits.hits.write.failed", "recording refused subjects failed",
                fields: [.detail: .error(error)])
        }
    }

    /// Writes one audit event immediately, of what has happened already.
    /// - Throws: `rpc/unavailable` if the disk accepts no writes.
    func audit(_ event: AuditEvent) async throws {
        try await store.write(about: [], evenIfCancelled: true) { try $0.audit(event) }
    }

    /// Reports that `CredentialStuffingDetector` raised its alarm.
    func alarm() async {
        alarms.increment()
        logger.error(
            "limits.credential_stuffing.detected",
            "credential stuffing detected: sign-ins from unknown devices are slowed down")
        do {
            try await audit(AuditEvent(.stuffingAlarm))
        } catch {
            // The alarm is effective whether or not the event was written. The log and the metric
            // have reported it.
            logger.warning(
                "limits.credential_stuffing.audit.failed",
                "recording the credential stuffing alarm failed", fields: [.detail: .error(error)])
        }
    }

    /// Reports that a new subject had to share a shared bucket.
    func full() {
        shared.increment()
        guard fullThrottle.allows() else { return }
        logger.error(
            "limits.table.full",
            "the limits table is full for a class of subjects; new ones share counters")
    }

    /// Reports that a new device was not recorded.
    func devicesFull() {
        guard devicesThrottle.allows() else { return }
        logger.error(
            "limits.known_devices.full",
            "the table of known devices is full; no new device is recorded")
    }

    /// Reports that a site's account was not recorded.
    func sitesFull() {
        guard sitesThrottle.allows() else { return }
        logger.error(
            "limits.shared_sites.full",
            "the table of shared sites is full; no new account is counted at its site")
    }

    private static func counters(_ label: String) -> [Counter] {
        let numbers = 0...Int(LimitName.allCases.map(\.number).max() ?? 0)
        return numbers.map { number in
            let name = LimitName(number: UInt16(number))?.rawValue ?? "none"
            return Counter(label: label, dimensions: [("limit", name)])
        }
    }
}

// The waits that are being counted are stored once a second. A process that is killed therefore
// leaves no flood unrecorded; it loses only the count of its last second.

extension SQLSession {
    /// The waits that were being counted when the last process ended.
    func hits() throws -> [LimitHit] {
        try query(
            "SELECT limit_number, subject, since_ms, until_ms, refused, attempt FROM hits"
        ) { row -> LimitHit? in
            // A limit that this version does not know belongs to a newer version; its row stays.
            guard let number = UInt16(exactly: try row.integer("limit_number")),
                let limit = LimitName(number: number)
            else { return nil }
            return LimitHit(
                key: LimitKey(limit: number, hash: try row.blob("subject")), limit: limit,
                since: try row.timestamp("since_ms"),
                until: try row.timestamp("until_ms"),
                refused: Int(clamping: try row.integer("refused")),
                attempt: Int(clamping: try row.integer("attempt")))
        }.compactMap(\.self)
    }
}

extension Transaction {
    /// Stores a wait.
    func insert(_ hit: LimitHit) throws {
        try put(
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

    /// Deletes a wait. By its start too, because another wait of the subject may have started
    /// since.
    func delete(_ hit: LimitHit) throws {
        try put(
            "DELETE FROM hits WHERE limit_number = ? AND subject = ? AND since_ms = ?",
            [.integer(Int64(hit.limit.number)), .blob(hit.key.hash), SQLValue(hit.since)])
    }
}
