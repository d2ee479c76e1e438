import ServiceRuntime
import Synchronization

/// Whether a store's writer turns: a disk that hangs holds its thread in a system call for ever, and
/// only a restart, on another disk perhaps, helps. A disk that refuses writes lets it turn.
final class WriterWatchdog: Sendable {
    /// A writer whose turn takes longer hangs; a group's commit takes milliseconds, and a lock that
    /// another process holds 5 s (`SQLiteEngine.busyMilliseconds`).
    static let patience: Duration = .seconds(30)

    private let time: any Time
    /// The uptime at which the turn began that is under way.
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
