import ServiceRuntime
import Synchronization

/// New messages' ids, rising with the time: rows that arrive together then lie together, so a
/// commit of 256 messages writes a few pages instead of one for each, and the newest are the last.
///
/// 41 bits of milliseconds since 2025 (until 2094) and 22 that begin at random in each millisecond
/// and count on. That they tell when is no loss: only the operator asks by them.
final class MessageIDs: Sendable {
    /// 2025-01-01T00:00:00Z.
    private static let epoch = Timestamp(milliseconds: 1_735_689_600_000)
    private static let tailBits: Int64 = 22
    /// The tail's random start leaves the upper half for counting on.
    private static let startBits: UInt64 = 21

    private let last = Mutex<Int64>(0)
    private let time: any Time
    private let randomness: any Randomness

    init(time: any Time, randomness: any Randomness) {
        self.time = time
        self.randomness = randomness
    }

    /// One that no other message of this store has: a clock that falls back counts on from the
    /// last one.
    func next() -> MessageID {
        let since = max(0, (time.now() - Self.epoch).milliseconds)
        let start = Int64(randomness.integer() >> (64 - Self.startBits))
        let wished = min(since, Int64.max >> Self.tailBits) << Self.tailBits | start
        let key = last.withLock { last in
            // In the same millisecond, or before it: the next number.
            last = wished >> Self.tailBits > last >> Self.tailBits ? wished : last &+ 1
            return last
        }
        guard let id = MessageID(key: key) else { preconditionFailure("2094 is over") }
        return id
    }
}
