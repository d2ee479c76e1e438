import ServiceRuntime
import Synchronization

/// Guesses of this gateway that are charged and not yet looked at, by the account or number they are
/// about. One that is under way is no failure yet: when a limit is reached by such, most of them are
/// given back a moment later.
///
///     refused by the limit on      others under way   the wait that is told
///     the account or the number    some               a second at most
///     the account or the number    none               the limiter's
///     anything else                any                the limiter's
///
/// The guess is refused in each case; only the wait differs. Where several gateways serve, each knows
/// its own.
final class GuessesUnderWay: Sendable {
    /// By then most are given back; who tries again is charged as anybody.
    static let wait = Duration.seconds(1)
    /// What was never ended is forgotten: longer than any call may take.
    private static let life = Duration.seconds(60)
    /// Beyond, none is noted, and the limiter's wait is told.
    private static let subjectsMax = 10_000

    private struct Entry {
        var count: Int
        var latest: Duration
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// A guess begins.
    /// - Returns: whether others are under way.
    func begin(_ subject: String, at uptime: Duration) -> Bool {
        entries.withLock { entries in
            if entries.count >= Self.subjectsMax {
                entries = entries.filter { uptime - $0.value.latest < Self.life }
                guard entries.count < Self.subjectsMax || entries[subject] != nil else {
                    return false
                }
            }
            let others = Self.count(entries[subject], at: uptime)
            entries[subject] = Entry(count: others + 1, latest: uptime)
            return others > 0
        }
    }

    /// A guess has been looked at, or was refused.
    /// - Returns: whether others are under way.
    @discardableResult
    func end(_ subject: String, at uptime: Duration) -> Bool {
        entries.withLock { entries in
            let others = max(0, Self.count(entries[subject], at: uptime) - 1)
            entries[subject]?.count = others
            if others == 0 { entries[subject] = nil }
            return others > 0
        }
    }

    private static func count(_ entry: Entry?, at uptime: Duration) -> Int {
        guard let entry, uptime - entry.latest < life else { return 0 }
        return entry.count
    }
}
