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
    /// By the limit's number: its class, and the bits that tell its cells apart.
    private let classes: UnsafeMutablePointer<UInt8>
    private let cellBits: UnsafeMutablePointer<UInt8>
    let rules: Rules
    /// When the journal is read: what is over by then is not restored.
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

    /// Bytes by limits' numbers, 0 where there is none.
    private static func table(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: TableLayout.limitsMax)
        table.initialize(repeating: 0, count: TableLayout.limitsMax)
        for (place, byte) in bytes.enumerated() { table[place] = byte }
        return table
    }

    /// The stripe's place of a key.
    func place(of key: LimitKey) -> Int { Int(truncatingIfNeeded: key.high >> shift) }

    /// The key of the cell that a subject shares where there is no room for it: with all of its limit
    /// whose hash begins alike, at the least with those of its stripe. It is the cell's own, too.
    func poolKey(of key: LimitKey) -> LimitKey {
        let bits = cellBits[min(Int(key.limit), TableLayout.limitsMax - 1)]
        let low = UInt64.max >> max(UInt64(bits), 64 - shift)
        return LimitKey(limit: key.limit, high: key.high | low, low: .max)
    }

    /// Whether it is the key of a cell.
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
