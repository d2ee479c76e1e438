import ServiceRuntime
import Synchronization

/// Detects a hanging writer. A disk that hangs blocks the writer's thread in a system call for
/// ever, and only a restart, perhaps on another disk, helps. A disk that rejects writes does not
/// block it.
final class WriterWatchdog: Sendable {
    /// A round that takes longer counts as hanging. A group's commit takes milliseconds, and
    /// waiting for a lock that another process holds takes at most 5 s
    /// (`SQLiteEngine.busyMilliseconds`).
    static let patience: Duration = .seconds(30)

    private let time: any Time
    /// The uptime at which the current round began; nil between rounds.
    private let begun = Mutex<Duration?>(nil)

    init(time: any Time) {
        self.time = time
    }

    func begin() {
        let now = time.uptime()
        begun.withLock { $0 = now }
    }

    func end() { begun.withLock { $0 = nil } }

    var isTurning: Bool {
        guard let begun = begun.withLock({ $0 }) else { return true }
        return time.uptime() - begun < Self.patience
    }
}
