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
    /// The shortest time between two log lines during a flood.
    private static let pause = Duration.seconds(60)

    private let tally: Mutex<HitTally>
    private let store: HitStore
    private let logger: Logger
    private let refused: [Counter]
    private let shadowed: [Counter]
    private let alarms = Counter(label: "limits_stuffing_alarms")
    private let shared = Counter(label: "limits_pooled")
    private let loggedAt = Mutex<Timestamp?>(nil)
    private let devicesLoggedAt = Mutex<Timestamp?>(nil)

    /// Continues the waits of the process before this one.
    init(_ store: HitStore, logger: Logger) async throws {
        self.store = store
        self.logger = logger
        var tally = HitTally()
        for hit in try await store.hits() { tally.restore(hit) }
        self.tally = Mutex(tally)
        refused = Self.counters("limits_refused")
        shadowed = Self.counters("limits_shadow_hits")
    }

    /// Counts a refusal.
    func note(_ limit: LimitName, _ key: LimitKey, _ verdict: LimitVerdict, at now: Timestamp) {
        refused[Int(limit.number)].increment()
        let isFirst = tally.withLock { $0.note(limit, key, verdict, at: now) }
        guard isFirst, LimitSeverity.isAlarming(limit) else { return }
        logger.warning(
            "limits.abuse.suspected", "repeated wrong codes or repeated message requests",
            fields: [.limit: .text(limit.rawValue), .attempt: .count(verdict.attempt)])
    }

    /// Counts an attempt that would have been refused if the limit were not in shadow mode.
    func noteShadow(_ limit: LimitName) { shadowed[Int(limit.number)].increment() }

    /// Writes the waits that are over or have changed.
    func write(at now: Timestamp) async {
        let (over, changed) = tally.withLock { $0.take(at: now) }
        guard !over.isEmpty || !changed.isEmpty else { return }
        do {
            try await store.write(over: over, changed: changed)
        } catch {
            // The disk may be full for a while. Until then the waits are kept and counted further.
            tally.withLock { $0.giveBack(over, changed) }
            logger.warning(
                "limits.hits.write.failed", "recording refused subjects failed",
                fields: [.detail: .error(error)])
        }
    }

    /// Writes one audit event immediately.
    /// - Throws: `rpc/unavailable` if the disk accepts no writes.
    func audit(_ event: AuditEvent) async throws { try await store.audit(event) }

    /// Reports that `CredentialStuffingDetector` raised its alarm.
    func alarm() async {
        alarms.increment()
        logger.error(
            "limits.credential_stuffing.detected",
            "credential stuffing detected: sign-ins from unknown devices are slowed down")
        do {
            try await store.audit(AuditEvent(.stuffingAlarm))
        } catch {
            // The alarm is effective whether or not the event was written. The log and the metric
            // have reported it.
            logger.warning(
                "limits.credential_stuffing.audit.failed",
                "recording the credential stuffing alarm failed", fields: [.detail: .error(error)])
        }
    }

    /// Reports that a new subject had to share a shared bucket.
    func full(at now: Timestamp) {
        shared.increment()
        guard Self.isDue(loggedAt, now) else { return }
        logger.error(
            "limits.table.full",
            "the limits table is full for a class of subjects; new ones share counters")
    }

    /// Reports that a new device was not recorded.
    func devicesFull(at now: Timestamp) {
        guard Self.isDue(devicesLoggedAt, now) else { return }
        logger.error(
            "limits.known_devices.full",
            "the table of known devices is full; no new device is recorded")
    }

    private static func isDue(_ loggedAt: borrowing Mutex<Timestamp?>, _ now: Timestamp) -> Bool {
        loggedAt.withLock { loggedAt in
            guard loggedAt.map({ now - $0 >= pause }) ?? true else { return false }
            loggedAt = now
            return true
        }
    }

    private static func counters(_ label: String) -> [Counter] {
        let numbers = 0...Int(LimitName.allCases.map(\.number).max() ?? 0)
        return numbers.map { number in
            let name = LimitName(number: UInt16(number))?.rawValue ?? "none"
            return Counter(label: label, dimensions: [("limit", name)])
        }
    }
}
