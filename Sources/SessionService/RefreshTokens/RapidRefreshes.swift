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
/// The counters are in memory, 64 KiB; a restart resets them. Sessions whose ids have the same low
/// 16 bits share a counter. Session ids are random, so an attacker cannot choose a victim's counter.
final class RapidRefreshes: Sendable {
    /// A refresh is rapid if it follows the one before within this time.
    static let interval: Duration = .seconds(10)
    /// The time in which a session's rapid refreshes are counted.
    static let window: Duration = .seconds(60)
    /// Rapid refreshes of one session in a window that are recorded.
    static let recordedMax: UInt8 = 60
    private static let countersMax = 1 << 16

    private struct Window {
        var begunAt = Timestamp(milliseconds: 0)
        var counters = [UInt8](repeating: 0, count: countersMax)

        /// A window of a clock that was set back is over, too.
        func isOver(at now: Timestamp) -> Bool {
            now < begunAt || now >= begunAt + RapidRefreshes.window
        }
    }

    private let window = Mutex(Window())

    /// Whether the session's next rapid refresh is recorded.
    func recordsNext(of session: SessionID, at now: Timestamp) -> Bool {
        window.withLock { window in
            window.isOver(at: now) || window.counters[Self.place(of: session)] < Self.recordedMax
        }
    }

    /// Counts a rapid refresh after its commit.
    func count(_ session: SessionID, at now: Timestamp) {
        window.withLock { window in
            if window.isOver(at: now) {
                window = Window()
                window.begunAt = now
            }
            let place = Self.place(of: session)
            if window.counters[place] < Self.recordedMax { window.counters[place] += 1 }
        }
    }

    private static func place(of session: SessionID) -> Int {
        Int(truncatingIfNeeded: session.key) & (countersMax - 1)
    }
}
