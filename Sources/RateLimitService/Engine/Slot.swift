import Contracts

/// One subject's state in 48 bytes of raw memory: 64 bytes a key with ten million keys leave no
/// more when a tenth of the table is empty. The journal stores the same bytes.
///
///      0  8  the hash's first half
///      8  8  its second half
///     16  8  the first moment
///     24  2  the limit's number
///     26  1  the kind of state, 0 for a free slot; and flags, which the journal ignores
///     27  1  the number of moments
///     28  2  step
///     30  2  failures
///     32 16  the 2nd to 5th moment, 32 bits each, after the first;
///            or, with six moments or more, the number of the block that holds them
struct Slot {
    static let bytes = 48
    static let headerBytes = 32
    private static let kindMask: UInt8 = 0x07
    private static let layoutShift: UInt8 = 3
    private static let layoutMask: UInt8 = 0x18
    private static let changedMark: UInt8 = 0x40
    private static let reportedMark: UInt8 = 0x80

    /// Where the moments after the first are stored.
    enum Layout: UInt8 {
        /// In the slot itself.
        case slot = 0
        case smallBlock = 1
        case largeBlock = 2

        /// The smallest one for this number of moments.
        init(for moments: Int) {
            self =
                moments <= Layout.slot.moments
                ? .slot
                : moments <= Layout.smallBlock.moments ? .smallBlock : .largeBlock
        }

        /// Its capacity in moments, including the first.
        var moments: Int {
            switch self {
            case .slot: 5
            case .smallBlock: 17
            case .largeBlock: 65
            }
        }
    }

    let start: UnsafeMutableRawPointer

    var high: UInt64 { start.load(as: UInt64.self) }
    var low: UInt64 { start.load(fromByteOffset: 8, as: UInt64.self) }
    var limit: UInt16 { start.load(fromByteOffset: 24, as: UInt16.self) }
    var isFree: Bool { mark & Self.kindMask == 0 }
    var key: LimitKey { LimitKey(limit: limit, high: high, low: low) }
    /// Nil for a free slot, and for a kind that this version does not know.
    var kind: LimitState.Kind? { LimitState.Kind(rawValue: mark & Self.kindMask) }

    var base: Int64 {
        get { start.load(fromByteOffset: 16, as: Int64.self) }
        nonmutating set { start.storeBytes(of: newValue, toByteOffset: 16, as: Int64.self) }
    }

    var count: Int {
        get { Int(start.load(fromByteOffset: 27, as: UInt8.self)) }
        nonmutating set {
            start.storeBytes(
                of: UInt8(truncatingIfNeeded: newValue), toByteOffset: 27, as: UInt8.self)
        }
    }

    var step: UInt16 {
        get { start.load(fromByteOffset: 28, as: UInt16.self) }
        nonmutating set { start.storeBytes(of: newValue, toByteOffset: 28, as: UInt16.self) }
    }

    var failures: UInt16 {
        get { start.load(fromByteOffset: 30, as: UInt16.self) }
        nonmutating set { start.storeBytes(of: newValue, toByteOffset: 30, as: UInt16.self) }
    }

    /// The words after the header: moments after the first, or the number of their block.
    var rest: UnsafeMutablePointer<UInt32> {
        (start + Self.headerBytes).assumingMemoryBound(to: UInt32.self)
    }

    private var mark: UInt8 {
        get { start.load(fromByteOffset: 26, as: UInt8.self) }
        nonmutating set { start.storeBytes(of: newValue, toByteOffset: 26, as: UInt8.self) }
    }

    var layout: Layout {
        get { Layout(rawValue: (mark & Self.layoutMask) >> Self.layoutShift) ?? .slot }
        nonmutating set {
            mark = mark & ~Self.layoutMask | newValue.rawValue << Self.layoutShift
        }
    }

    /// Whether it changed since the journal last took it.
    var isChanged: Bool {
        get { mark & Self.changedMark != 0 }
        nonmutating set {
            mark = newValue ? mark | Self.changedMark : mark & ~Self.changedMark
        }
    }

    /// Whether the limit has been reported as reached, so that a flood leaves one record.
    var isReported: Bool {
        get { mark & Self.reportedMark != 0 }
        nonmutating set { mark = newValue ? mark | Self.reportedMark : mark & ~Self.reportedMark }
    }

    /// Marks the slot as free.
    func clear() { mark = 0 }

    /// Makes it an empty state of that key, with its moments in the slot itself.
    func begin(_ key: LimitKey, _ kind: LimitState.Kind) {
        start.storeBytes(of: key.high, as: UInt64.self)
        start.storeBytes(of: key.low, toByteOffset: 8, as: UInt64.self)
        start.storeBytes(of: key.limit, toByteOffset: 24, as: UInt16.self)
        mark = kind.rawValue
        empty(kind)
    }

    /// Makes it an empty state of that kind; key, layout and flags stay.
    func empty(_ kind: LimitState.Kind) {
        mark = mark & ~Self.kindMask | kind.rawValue
        base = 0
        count = 0
        step = 0
        failures = 0
    }

    /// Whether the slot comes before a key in the table's order.
    @inline(__always)
    func isBefore(_ key: LimitKey) -> Bool {
        if high != key.high { return high < key.high }
        if low != key.low { return low < key.low }
        return limit < key.limit
    }

    /// Whether the slot is the key's.
    @inline(__always)
    func holds(_ key: LimitKey) -> Bool {
        high == key.high && low == key.low && limit == key.limit
    }
}

/// A state in place: the slot's own bytes and, with many moments, those of its block. Valid until
/// something moves in its shard.
struct SlotState: CountedState {
    let slot: Slot
    let kind: LimitState.Kind
    var moments: List

    /// - Parameter rest: the moments after the first.
    @inline(__always)
    init(_ slot: Slot, _ kind: LimitState.Kind, rest: UnsafeMutablePointer<UInt32>) {
        self.slot = slot
        self.kind = kind
        moments = List(slot: slot, rest: rest)
    }

    var step: UInt16 {
        get { slot.step }
        nonmutating set { slot.step = newValue }
    }

    var failures: UInt16 {
        get { slot.failures }
        nonmutating set { slot.failures = newValue }
    }

    /// Copies another state of this kind; there must be capacity for its moments.
    mutating func copy(_ state: borrowing some CountedState) {
        slot.base = state.moments.base
        slot.count = state.moments.count
        slot.step = state.step
        slot.failures = state.failures
        for index in 1..<max(1, slot.count) {
            moments[offset: index] = state.moments[offset: index]
        }
    }

    /// A state's moments in place.
    struct List: MomentList {
        let slot: Slot
        /// The moments after the first.
        let rest: UnsafeMutablePointer<UInt32>

        var base: Int64 {
            get { slot.base }
            nonmutating set { slot.base = newValue }
        }

        var count: Int {
            get { slot.count }
            nonmutating set { slot.count = newValue }
        }

        subscript(offset index: Int) -> UInt32 {
            @inline(__always) get { index == 0 ? 0 : rest[index - 1] }
            @inline(__always) nonmutating set {
                // The first offset is always 0 and is not stored.
                if index > 0 { rest[index - 1] = newValue }
            }
        }
    }
}
