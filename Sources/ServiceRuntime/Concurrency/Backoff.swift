/// Exponential backoff with jitter: each wait before a retry is longer than the one before. The
/// jitter keeps clients that lost the same server from reconnecting all at the same moment.
package struct Backoff: Hashable, Sendable {
    /// The first wait.
    package let first: Duration
    /// The longest wait, before jitter.
    package let most: Duration
    /// The growth factor in tenths: 16 means that each wait is 1.6 times the one before.
    package let growthTenths: Int
    /// The largest deviation of a wait in either direction, in thousandths of the wait.
    package let jitterThousandths: Int64
    private var base: Duration

    /// A backoff that starts at `first` and multiplies by `growthTenths / 10` up to `most`.
    package init(
        first: Duration = .milliseconds(100), most: Duration = .seconds(10),
        growthTenths: Int = 16, jitterThousandths: Int64 = 200
    ) {
        precondition(first > .zero && most >= first, "the waits are positive and grow")
        precondition(growthTenths >= 10, "the growth factor is at least 1")
        precondition((0..<1_000).contains(jitterThousandths), "the jitter is below the wait")
        self.first = first
        self.most = most
        self.growthTenths = growthTenths
        self.jitterThousandths = jitterThousandths
        base = first
    }

    /// The wait before the next try. `jitter` is a random number.
    package mutating func next(jitter: UInt64) -> Duration {
        let wait = base
        base = min(base * growthTenths / 10, most)
        let width = UInt64(2 * jitterThousandths + 1)
        let spread = Int64(jitter % width) - jitterThousandths
        return wait + wait * Int(spread) / 1_000
    }

    /// After a success: the next wait is `first` again.
    package mutating func reset() { base = first }

    /// Keeps the multiplication in `wait` from overflowing. More doublings would exceed any bound.
    private static let doublingsMax = 30

    /// Exponential backoff where a row in a store holds the number of failed tries, not a value in
    /// memory: the wait after `failures` (from 1) doubles with each, up to `most`. `random` picks a
    /// point between half of that and all of it, so that a recovered peer does not receive all
    /// retries at once.
    package static func wait(
        failures: Int, first: Duration, most: Duration, random: UInt64
    ) -> Duration {
        let doublings = min(max(failures, 1) - 1, doublingsMax)
        let whole = min(first * (1 << doublings), most)
        let share = Double(random >> 11) / Double(1 << 53)
        return whole / 2 + whole / 2 * share
    }
}
