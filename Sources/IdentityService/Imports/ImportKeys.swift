import ServiceRuntime
import Synchronization

/// Keys for rows that are made by the hundred thousand.
///
/// A row with a random key lands on a random page: with a million accounts each would write a page
/// for each of its rows, 40 KiB in all, where rows that follow each other share theirs. So these
/// ascend, by random steps of up to 2⁴⁰ from a random start: as good as unguessable, and nothing
/// rests on that.
final class ImportKeys: Sendable {
    private static let stepMask: UInt64 = (1 << 40) - 1

    private let randomness: any Randomness
    private let last: Mutex<Int64>

    init(randomness: any Randomness) {
        self.randomness = randomness
        last = Mutex(Self.start(randomness))
    }

    /// A key that is larger than the one before, but once in 2²² keys.
    func next() -> Int64 {
        let step = Int64(randomness.integer() & Self.stepMask) + 1
        return last.withLock { last in
            let (sum, isOver) = last.addingReportingOverflow(step)
            last = isOver ? Self.start(randomness) : sum
            return last
        }
    }

    /// In the lower half, so that there is room for 2²² accounts at least.
    private static func start(_ randomness: any Randomness) -> Int64 {
        max(1, Int64(randomness.integer() >> 2))
    }
}
