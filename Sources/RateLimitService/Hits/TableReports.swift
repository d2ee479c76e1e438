import CoreMetrics
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Reports to operators that leaked passwords are being tried (credential stuffing), and that the
/// table has no capacity left.
final class TableReports: Sendable {
    /// The shortest time between two log lines during a flood.
    private static let pause = Duration.seconds(60)

    private let logger: Logger
    private let alarms = Counter(label: "limits_stuffing_alarms")
    private let pooled = Counter(label: "limits_pooled")
    private let toldAt = Mutex<Timestamp?>(nil)
    private let devicesToldAt = Mutex<Timestamp?>(nil)

    init(logger: Logger) {
        self.logger = logger
    }

    /// Reports that `CredentialStuffingDetector` raised its alarm.
    func alarm(_ store: HitStore) async {
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

    /// Reports that a new subject had to share a cell.
    func full(at now: Timestamp) {
        pooled.increment()
        guard Self.isDue(toldAt, now) else { return }
        logger.error(
            "limits.table.full",
            "the limits table is full for a class of subjects; new ones share counters")
    }

    /// Reports that a new device was not recorded.
    func devicesFull(at now: Timestamp) {
        guard Self.isDue(devicesToldAt, now) else { return }
        logger.error(
            "limits.known_devices.full",
            "the table of known devices is full; no new device is recorded")
    }

    private static func isDue(_ toldAt: borrowing Mutex<Timestamp?>, _ now: Timestamp) -> Bool {
        toldAt.withLock { toldAt in
            guard toldAt.map({ now - $0 >= pause }) ?? true else { return false }
            toldAt = now
            return true
        }
    }
}
