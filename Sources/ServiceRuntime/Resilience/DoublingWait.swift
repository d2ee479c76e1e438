/// Exponential backoff for a row in a store: the wait doubles with each failed try, up to a bound.
/// Jitter picks a wait between half of that and all of it, so that a recovered peer does not
/// receive all retries at once.
///
/// `Backoff` does the same in memory, where one value counts the tries for one target. Here the row
/// holds the count.
package enum DoublingWait {
    /// Keeps the multiplication from overflowing. More doublings would exceed any bound.
    private static let doublingsMax = 30

    /// The wait after `failures` failed tries (from 1). `random` picks the point within the jitter.
    package static func after(
        failures: Int, first: Duration, most: Duration, random: UInt64
    ) -> Duration {
        let doublings = min(max(failures, 1) - 1, doublingsMax)
        let whole = min(first * (1 << doublings), most)
        let share = Double(random >> 11) / Double(1 << 53)
        return whole / 2 + whole / 2 * share
    }
}
