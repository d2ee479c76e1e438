import ServiceRuntime
import Synchronization

/// Bounds how often the refresh tokens of a session are exchanged one right after the other (G-10).
/// An app does that a few times, for example in several tabs that begin at once.
///
/// Attack: a guest exchanges each new token at once, a thousand times a second. Each exchange writes
/// an audit row and a stored response, until the disk is full.
///
/// In memory: a restart begins a new window.
final class RapidRefreshes: Sendable {
    /// An exchange is rapid if it follows the one before within this time.
    static let interval: Duration = .seconds(10)
    /// The time in which a session's rapid exchanges are counted.
    static let window: Duration = .seconds(60)
    /// Sessions in a window, about 4 MiB. Further ones are not counted: they must all have exchanged
    /// two tokens within ten seconds, and no user may be refused because of them.
    static let sessionsMax = 65_536

    private struct Window {
        var begunAt: Timestamp
        var exchanges: [SessionID: Int] = [:]
    }

    private let exchangesMax: Int
    private let state: Mutex<Window?> = Mutex(nil)

    /// - Parameter exchangesMax: rapid exchanges of one session in a window.
    init(exchangesMax: Int) { self.exchangesMax = exchangesMax }

    /// The time until a session may exchange its next token; nil if it may now.
    func wait(of session: SessionID, at now: Timestamp) -> Duration? {
        state.withLock { state in
            guard let window = Self.current(state, at: now),
                window.exchanges[session, default: 0] >= exchangesMax
            else { return nil }
            return window.begunAt + Self.window - now
        }
    }

    /// Counts a rapid exchange after its commit.
    func count(_ session: SessionID, at now: Timestamp) {
        state.withLock { state in
            var window = Self.current(state, at: now) ?? Window(begunAt: now)
            state = nil  // so that the dictionary is not copied
            let isKnown = window.exchanges[session] != nil
            if isKnown || window.exchanges.count < Self.sessionsMax {
                window.exchanges[session, default: 0] += 1
            }
            state = window
        }
    }

    /// The window that is not over. One of a clock that was set back is over, too.
    private static func current(_ window: Window?, at now: Timestamp) -> Window? {
        window.flatMap { now >= $0.begunAt && now < $0.begunAt + Self.window ? $0 : nil }
    }
}
