import ServiceRuntime
import Synchronization

/// Counts the refreshes of a session that follow each other at once (G-10), and says when they leave
/// no more records. An app does that a few times, for example in several tabs that begin at once.
///
/// Attack: a guest exchanges each new token at once, a thousand times a second. Each time an audit
/// row and a stored response are written, until the disk is full.
///
/// No refresh is refused, so that no session ends because of it: beyond the limit a lost response can
/// be repeated within the grace only, and the audit trail has the first refreshes of a minute.
///
/// In memory: a restart begins a new window.
final class RapidRefreshes: Sendable {
    /// A refresh is rapid if it follows the one before within this time.
    static let interval: Duration = .seconds(10)
    /// The time in which a session's rapid refreshes are counted.
    static let window: Duration = .seconds(60)
    /// Rapid refreshes of one session in a window that are recorded.
    static let recordedMax = 60
    /// Sessions in a window, about 4 MiB. Further ones are not counted: each of them has refreshed
    /// twice within ten seconds.
    static let sessionsMax = 65_536

    private struct Window {
        let begunAt: Timestamp
        var refreshes: [SessionID: Int] = [:]
    }

    private let state: Mutex<Window?> = Mutex(nil)

    /// Whether the session's next rapid refresh is recorded.
    func areRecorded(of session: SessionID, at now: Timestamp) -> Bool {
        state.withLock { state in
            guard let window = Self.current(state, at: now) else { return true }
            return window.refreshes[session, default: 0] < Self.recordedMax
        }
    }

    /// Counts a rapid refresh after its commit.
    func count(_ session: SessionID, at now: Timestamp) {
        state.withLock { state in
            var window = Self.current(state, at: now) ?? Window(begunAt: now)
            state = nil  // so that the dictionary is not copied
            let isKnown = window.refreshes[session] != nil
            if isKnown || window.refreshes.count < Self.sessionsMax {
                window.refreshes[session, default: 0] += 1
            }
            state = window
        }
    }

    /// The window that is not over. One of a clock that was set back is over, too.
    private static func current(_ window: Window?, at now: Timestamp) -> Window? {
        window.flatMap { now >= $0.begunAt && now < $0.begunAt + Self.window ? $0 : nil }
    }
}
