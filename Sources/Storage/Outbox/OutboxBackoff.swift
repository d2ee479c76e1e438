/// How long a message waits after a failed attempt: twice as long each time, up to a minute, and
/// between half and all of that, so that a peer that comes back is not met by all at once.
enum OutboxBackoff {
    /// After the first failure.
    static let first: Duration = .milliseconds(100)
    /// After the tenth and all later ones.
    static let most: Duration = .seconds(60)

    /// The wait after `failures` failed attempts (from 1), placed by a random number.
    static func wait(failures: Int64, random: UInt64) -> Duration {
        let doublings = min(max(failures - 1, 0), 10)
        let whole = min(first * (1 << doublings), most)
        let share = Double(random >> 11) / Double(1 << 53)
        return whole / 2 + whole / 2 * share
    }
}
