import ServiceRuntime
import Synchronization

/// Row keys for bulk imports.
///
/// A row with a random key goes to a random page of the table. With a million accounts, each
/// account would write a page for each of its rows, 40 KiB in total, whereas rows with consecutive
/// keys share pages. So these keys ascend in random steps of up to 2⁴⁰ from a random start. They
/// are practically unguessable, but no security property depends on that.
final class ImportKeys: Sendable {
    private static let stepMask: UInt64 = (1 << 40) - 1

    private let randomness: any Randomness
    private let last: Mutex<Int64>

    init(randomness: any Randomness) {
        self.randomness = randomness
        last = Mutex(Self.start(randomness))
    }

    /// The next key. It is larger than the one before, except after an overflow: once in 2²² keys
    /// at most.
    func next() -> Int64 {
        let step = Int64(randomness.integer() & Self.stepMask) + 1
        return last.withLock { last in
            let (sum, isOver) = last.addingReportingOverflow(step)
            last = isOver ? Self.start(randomness) : sum
            return last
        }
    }

    /// In the lower half of the range, so that at least 2²² keys follow before an overflow.
    private static func start(_ randomness: any Randomness) -> Int64 {
        max(1, Int64(randomness.integer() >> 2))
    }
}
