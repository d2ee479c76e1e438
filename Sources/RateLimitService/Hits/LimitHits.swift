import Contracts
import CoreMetrics
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Reports limits that were reached: in the metrics immediately, in the log for the severe ones, in
/// the audit trail once for each limit, subject and wait.
final class LimitHits: Sendable {
    /// How often the counts are written.
    static let interval = Duration.seconds(1)

    private let tally: Mutex<HitTally>
    private let store: HitStore
    private let logger: Logger
    private let refused: [Counter]
    private let shadowed: [Counter]

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

    private static func counters(_ label: String) -> [Counter] {
        let numbers = 0...Int(LimitName.allCases.map(\.number).max() ?? 0)
        return numbers.map { number in
            let name = LimitName(number: UInt16(number))?.rawValue ?? "none"
            return Counter(label: label, dimensions: [("limit", name)])
        }
    }
}
