import Synchronization

/// The guesses of this gateway that are charged but not yet verified, by the account or number that
/// they are about. A guess in progress is not yet a failure. If such guesses have filled a limit,
/// most of them are refunded a moment later.
///
///     refused by the limit on      other guesses in progress   the wait that the error gives
///     the account or the number    some                        one second at most
///     the account or the number    none                        the rate limiter's
///     anything else                any                         the rate limiter's
///
/// The guess is refused in each case; only the wait differs. With several gateways, each one counts
/// its own guesses.
final class GuessesUnderWay: Sendable {
    /// By then most are refunded. A retry is charged like any other guess.
    static let wait = Duration.seconds(1)
    /// A guess that was never ended is dropped after this time, which is longer than any call may
    /// take.
    private static let life = Duration.seconds(60)
    /// Above this number no further guess is recorded, and the error gives the rate limiter's wait.
    private static let subjectsMax = 10_000

    private struct Entry {
        var count: Int
        var latest: Duration
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// A guess starts.
    /// - Returns: whether others are in progress.
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

    /// A guess was verified or refused.
    /// - Returns: whether others are in progress.
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
