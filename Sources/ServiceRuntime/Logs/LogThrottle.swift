import Synchronization

/// Limits a log line that a caller can cause any number of times: one in 60 s.
package final class LogThrottle: Sendable {
    private static let interval = Duration.seconds(60)

    private let time: any Time
    /// In uptime; nil before the first.
    private let loggedAt = Mutex<Duration?>(nil)

    /// Nothing was logged yet.
    package init(time: any Time) {
        self.time = time
    }

    /// Whether the line is to be logged now.
    package func allows() -> Bool {
        let now = time.uptime()
        return loggedAt.withLock { loggedAt in
            if let loggedAt, now - loggedAt < Self.interval { return false }
            loggedAt = now
            return true
        }
    }
}
