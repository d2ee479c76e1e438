/// How long something in a store waits after a failed try: twice as long each time, up to a bound,
/// and between half and all of that, so that a peer that comes back is not met by all at once.
///
/// `Backoff` does the same for what lives in memory, where one value can count the tries of one
/// target; here the row counts its own.
package enum DoublingWait {
    /// More would be over any bound; it keeps the multiplication from overflowing.
    private static let doublingsMax = 30

    /// The wait after `failures` failed tries (from 1), placed by a random number.
    package static func after(
        failures: Int, first: Duration, most: Duration, random: UInt64
    ) -> Duration {
        let doublings = min(max(failures, 1) - 1, doublingsMax)
        let whole = min(first * (1 << doublings), most)
        let share = Double(random >> 11) / Double(1 << 53)
        return whole / 2 + whole / 2 * share
    }
}
