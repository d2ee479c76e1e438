/// How long to wait before trying again: longer each time, and never the same for all, so that
/// those who lost one server do not come back in one wave.
package struct Backoff: Hashable, Sendable {
    /// The first wait.
    package let first: Duration
    /// No wait is longer, but for its jitter.
    package let most: Duration
    /// Each wait is so many tenths of the one before.
    package let growthTenths: Int
    /// How far a wait may be off either way, in thousandths of it.
    package let jitterThousandths: Int64
    private var base: Duration

    /// Waits from `first` on, each `growthTenths / 10` times the one before, up to `most`.
    package init(
        first: Duration = .milliseconds(100), most: Duration = .seconds(10),
        growthTenths: Int = 16, jitterThousandths: Int64 = 200
    ) {
        precondition(first > .zero && most >= first, "a wait grows from something to something")
        precondition(growthTenths >= 10, "waits do not shrink")
        precondition((0..<1_000).contains(jitterThousandths), "a wait is never negative")
        self.first = first
        self.most = most
        self.growthTenths = growthTenths
        self.jitterThousandths = jitterThousandths
        base = first
    }

    /// The wait before the next try; `jitter` is a random number.
    package mutating func next(jitter: UInt64) -> Duration {
        let wait = base
        base = min(base * growthTenths / 10, most)
        let width = UInt64(2 * jitterThousandths + 1)
        let spread = Int64(jitter % width) - jitterThousandths
        return wait + wait * Int(spread) / 1_000
    }

    /// All is well: the next wait is the first again.
    package mutating func reset() { base = first }
}
