import Glibc
import ServiceRuntime

/// All stripes, each behind its lock: where the states are.
///
/// `@unchecked Sendable`: what changes stands in the stripes, each of which is read and written
/// only while its lock is held.
final class LimitStripes: @unchecked Sendable {
    /// The current rule of a limit, by its number; nil where this version does not know it, whose
    /// states are then kept.
    typealias Rules = @Sendable (UInt16) -> CountingRule?

    /// Locks enough that two threads seldom want the same, few enough to visit them all.
    private static let stripesMax = 256
    /// A stripe of fewer subjects would fill up while others have room.
    private static let stripeStatesMin = 4_096

    /// How many there are, a power of two.
    let number: Int
    private let stripes: UnsafeMutablePointer<Stripe>
    /// One for each stripe, beside them and never moved: taking one reads nothing that it guards.
    private let mutexes: UnsafeMutablePointer<pthread_mutex_t>
    private let shift: UInt64
    let rules: Rules
    /// When the journal is read: what is over by then is not restored.
    let startedAt: Int64

    init(statesMax: Int, startedAt: Int64, isJournaled: Bool, rules: @escaping Rules) {
        var number = 1
        while number < Self.stripesMax, number * 2 * Self.stripeStatesMin <= statesMax {
            number *= 2
        }
        self.number = number
        let bits = number.trailingZeroBitCount
        stripes = .allocate(capacity: number)
        mutexes = .allocate(capacity: number)
        for place in 0..<number {
            (stripes + place).initialize(
                to: Stripe(
                    statesMax: statesMax / number, sharedBits: bits, isJournaled: isJournaled))
            pthread_mutex_init(mutexes + place, nil)
        }
        shift = UInt64(64 - bits)
        self.startedAt = startedAt
        self.rules = rules
    }

    deinit {
        for place in 0..<number {
            stripes[place].release()
            pthread_mutex_destroy(mutexes + place)
        }
        stripes.deinitialize(count: number)
        stripes.deallocate()
        mutexes.deallocate()
    }

    /// The stripe's place of a key.
    func place(of key: LimitKey) -> Int { Int(truncatingIfNeeded: key.high >> shift) }

    /// The key that all subjects of one limit and stripe share when there is no room.
    func poolKey(of key: LimitKey) -> LimitKey {
        let high = key.high | (number == 1 ? .max : (1 << shift) - 1)
        return LimitKey(limit: key.limit, high: high, low: .max)
    }

    /// Whether it is the key of a pool.
    func isPool(_ key: LimitKey) -> Bool { key.low == .max && key == poolKey(of: key) }

    /// The key's stripe, which the caller has locked.
    subscript(key: LimitKey) -> UnsafeMutablePointer<Stripe> { stripes + place(of: key) }

    /// The stripe at that place, which the caller has locked.
    subscript(place: Int) -> UnsafeMutablePointer<Stripe> { stripes + place }

    /// Waits for the stripe at that place.
    func lock(_ place: Int) { pthread_mutex_lock(mutexes + place) }

    /// Leaves the stripe at that place to others.
    func unlock(_ place: Int) { pthread_mutex_unlock(mutexes + place) }

    /// Does something with the stripe at that place, locked.
    func locked(_ place: Int, _ body: (UnsafeMutablePointer<Stripe>) -> Void) {
        lock(place)
        defer { unlock(place) }
        body(stripes + place)
    }

    /// Does something with each stripe, one after the other, locked.
    func forEachLocked(_ body: (UnsafeMutablePointer<Stripe>) -> Void) {
        for place in 0..<number { locked(place, body) }
    }
}
