import Contracts
import Glibc
import ServiceRuntime

/// All stripes with their locks. The stripes hold the states.
///
/// `@unchecked Sendable`: all mutable state is in the stripes, and each stripe is read and written
/// only while its lock is held.
final class LimitStripes: @unchecked Sendable {
    /// The current rule of a limit by its number; nil for a limit that this version does not know,
    /// whose states are kept.
    typealias Rules = @Sendable (UInt16) -> CountingRule?

    /// Enough locks that two threads seldom need the same one; few enough to visit them all.
    private static let stripesMax = 256
    /// A stripe for fewer subjects would fill up while others have capacity.
    private static let stripeStatesMin = 4_096

    /// The number of stripes, a power of two.
    let number: Int
    private let stripes: UnsafeMutablePointer<Stripe>
    /// One for each stripe, in memory of their own and never moved: locking reads nothing that the
    /// lock protects.
    private let mutexes: UnsafeMutablePointer<pthread_mutex_t>
    private let shift: UInt64
    /// By the limit's number: its class, and the number of hash bits that select its cell.
    private let classes: UnsafeMutablePointer<UInt8>
    private let cellBits: UnsafeMutablePointer<UInt8>
    let rules: Rules
    /// When the journal is read. States that no longer count at this time are not restored.
    let startedAt: Int64

    init(
        statesMax: Int, layout: TableLayout, startedAt: Int64, isJournaled: Bool,
        rules: @escaping Rules
    ) {
        var number = 1
        while number < Self.stripesMax, number * 2 * Self.stripeStatesMin <= statesMax {
            number *= 2
        }
        self.number = number
        let bits = number.trailingZeroBitCount
        stripes = .allocate(capacity: number)
        mutexes = .allocate(capacity: number)
        classes = Self.table(layout.classes)
        cellBits = Self.table(layout.cellBits)
        var room = InlineArray<3, Int>(repeating: 0)
        for (place, share) in layout.shares.enumerated() {
            room[place] = statesMax / number * share / 100
        }
        for place in 0..<number {
            (stripes + place).initialize(
                to: Stripe(
                    room: room, cells: layout.cellsMax / number, classes: classes,
                    sharedBits: bits, isJournaled: isJournaled))
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
        classes.deallocate()
        cellBits.deallocate()
    }

    /// A table of bytes by limit number, 0 where there is no limit.
    private static func table(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: TableLayout.limitsMax)
        table.initialize(repeating: 0, count: TableLayout.limitsMax)
        for (place, byte) in bytes.enumerated() { table[place] = byte }
        return table
    }

    /// The index of a key's stripe.
    func place(of key: LimitKey) -> Int { Int(truncatingIfNeeded: key.high >> shift) }

    /// The key of the cell (pool) that a subject shares if there is no capacity for its own state:
    /// with all subjects of its limit whose hash has the same first bits, at least with those of
    /// its stripe. The cell's own key maps to itself.
    func poolKey(of key: LimitKey) -> LimitKey {
        let bits = cellBits[min(Int(key.limit), TableLayout.limitsMax - 1)]
        let low = UInt64.max >> max(UInt64(bits), 64 - shift)
        return LimitKey(limit: key.limit, high: key.high | low, low: .max)
    }

    /// Whether this is the key of a cell.
    func isPool(_ key: LimitKey) -> Bool { key.low == .max && key == poolKey(of: key) }

    /// The key's stripe, which the caller has locked.
    subscript(key: LimitKey) -> UnsafeMutablePointer<Stripe> { stripes + place(of: key) }

    /// The stripe at that index, which the caller has locked.
    subscript(place: Int) -> UnsafeMutablePointer<Stripe> { stripes + place }

    /// Locks the stripe at that index; blocks until it is free.
    func lock(_ place: Int) { pthread_mutex_lock(mutexes + place) }

    /// Unlocks the stripe at that index.
    func unlock(_ place: Int) { pthread_mutex_unlock(mutexes + place) }

    /// Runs `body` with the stripe at that index locked.
    func locked(_ place: Int, _ body: (UnsafeMutablePointer<Stripe>) -> Void) {
        lock(place)
        defer { unlock(place) }
        body(stripes + place)
    }

    /// Runs `body` with each stripe in turn, locked.
    func forEachLocked(_ body: (UnsafeMutablePointer<Stripe>) -> Void) {
        for place in 0..<number { locked(place, body) }
    }
}
