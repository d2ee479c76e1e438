import ServiceRuntime
import Synchronization

/// Generates message ids that increase with time. Rows that are inserted together are then
/// adjacent, so a commit of 256 messages writes a few pages instead of one per message, and the
/// newest messages are last.
///
/// An id has 41 bits of milliseconds since 2025 (until 2094) and 22 bits that start at a random
/// value in each millisecond and count up. An id reveals the time of acceptance, which is harmless:
/// only the operator looks messages up by id.
final class MessageIDs: Sendable {
    /// 2025-01-01T00:00:00Z.
    private static let epoch = Timestamp(milliseconds: 1_735_689_600_000)
    private static let tailBits: Int64 = 22
    /// The random start leaves the upper half of the tail for counting up.
    private static let startBits: UInt64 = 21

    private let last = Mutex<Int64>(0)
    private let time: any Time
    private let randomness: any Randomness

    init(time: any Time, randomness: any Randomness) {
        self.time = time
        self.randomness = randomness
    }

    /// An id that no other message of this store has. If the clock goes back, it counts up from the
    /// last one.
    func next() -> MessageID {
        let since = max(0, (time.now() - Self.epoch).milliseconds)
        let start = Int64(randomness.integer() >> (64 - Self.startBits))
        let wished = min(since, Int64.max >> Self.tailBits) << Self.tailBits | start
        let key = last.withLock { last in
            // In the same millisecond or before it: the next number.
            last = wished >> Self.tailBits > last >> Self.tailBits ? wished : last &+ 1
            return last
        }
        guard let id = MessageID(key: key) else { preconditionFailure("ids end in 2094") }
        return id
    }
}
