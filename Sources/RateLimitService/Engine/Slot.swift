/// One subject's state in 48 bytes of raw memory: what 64 bytes for each key at ten million keys
/// leave when a tenth of the table stands empty. The same bytes stand in the journal.
///
///      0  8  the hash's first half
///      8  8  its second half
///     16  8  the first moment
///     24  2  the limit's number
///     26  1  the kind of state, 0 for a free slot; and two marks
///     27  1  how many moments
///     28  2  step
///     30  2  failures
///     32 16  the 2nd to 5th moment, 32 bits each after the first;
///            or, of six moments and more, the number of the block in which they stand
struct Slot {
    static let bytes = 48
    static let headerBytes = 32
    /// Moments that stand in the slot itself.
    static let momentsMax = 5
    private static let kindMask: UInt8 = 0x07
    private static let changedMark: UInt8 = 0x40
    private static let notedMark: UInt8 = 0x80

    let start: UnsafeMutableRawPointer

    var high: UInt64 { start.load(as: UInt64.self) }
    var low: UInt64 { start.load(fromByteOffset: 8, as: UInt64.self) }
    var limit: UInt16 { start.load(fromByteOffset: 24, as: UInt16.self) }
    var count: Int { Int(start.load(fromByteOffset: 27, as: UInt8.self)) }
    var isFree: Bool { mark & Self.kindMask == 0 }
    var key: LimitKey { LimitKey(limit: limit, high: high, low: low) }

    /// Where the moments after the first stand, or the number of their block.
    var rest: UnsafeMutablePointer<UInt32> {
        (start + Self.headerBytes).assumingMemoryBound(to: UInt32.self)
    }

    private var mark: UInt8 {
        get { start.load(fromByteOffset: 26, as: UInt8.self) }
        nonmutating set { start.storeBytes(of: newValue, toByteOffset: 26, as: UInt8.self) }
    }

    /// Whether it changed since the journal last took it.
    var isChanged: Bool {
        get { mark & Self.changedMark != 0 }
        nonmutating set {
            mark = newValue ? mark | Self.changedMark : mark & ~Self.changedMark
        }
    }

    /// Whether it was told that the limit is reached.
    var isNoted: Bool {
        get { mark & Self.notedMark != 0 }
        nonmutating set { mark = newValue ? mark | Self.notedMark : mark & ~Self.notedMark }
    }

    /// Makes it free.
    func clear() { mark = 0 }

    /// How the slot stands to a key in the table's order.
    @inline(__always)
    func isBefore(_ key: LimitKey) -> Bool {
        if high != key.high { return high < key.high }
        if low != key.low { return low < key.low }
        return limit < key.limit
    }

    /// Whether it is the key's.
    @inline(__always)
    func holds(_ key: LimitKey) -> Bool {
        high == key.high && low == key.low && limit == key.limit
    }

    /// The state but for its moments after the first; nil for a kind that is none.
    func header() -> LimitState? {
        guard let kind = LimitState.Kind(rawValue: mark & Self.kindMask) else { return nil }
        var state = LimitState(kind)
        state.moments.base = start.load(fromByteOffset: 16, as: Int64.self)
        state.moments.count = count
        state.step = start.load(fromByteOffset: 28, as: UInt16.self)
        state.failures = start.load(fromByteOffset: 30, as: UInt16.self)
        state.isNoted = isNoted
        return state
    }

    /// Writes key and state but for the moments after the first; nothing but the mark of change
    /// stays.
    func write(_ key: LimitKey, _ state: borrowing LimitState) {
        start.storeBytes(of: key.high, as: UInt64.self)
        start.storeBytes(of: key.low, toByteOffset: 8, as: UInt64.self)
        start.storeBytes(of: state.moments.base, toByteOffset: 16, as: Int64.self)
        start.storeBytes(of: key.limit, toByteOffset: 24, as: UInt16.self)
        let noted = state.isNoted ? Self.notedMark : 0
        mark = mark & Self.changedMark | state.kind.rawValue | noted
        start.storeBytes(
            of: UInt8(truncatingIfNeeded: state.moments.count), toByteOffset: 27, as: UInt8.self)
        start.storeBytes(of: state.step, toByteOffset: 28, as: UInt16.self)
        start.storeBytes(of: state.failures, toByteOffset: 30, as: UInt16.self)
    }
}
