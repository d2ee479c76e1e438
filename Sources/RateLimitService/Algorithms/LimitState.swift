import Contracts

/// The stored state of one subject under one limit: moments and two small numbers, whose meaning
/// depends on the rule. It contains none of the rule's own numbers, so that an operator can change
/// them.
///
/// The rules work on any conforming type: on a value (`LimitState`) or in place (`SlotState`).
protocol CountedState {
    associatedtype List: MomentList

    /// The kind of rule that counted it.
    var kind: LimitState.Kind { get }
    /// Sliding window: the charges. GCRA: the one moment when the bucket is empty. Escalating
    /// delay: the charges of a day, and the latest. Lockout: the start of the current series of
    /// failures, and the latest.
    var moments: List { get set }
    /// GCRA: microseconds to add to the moment. Escalating delay: the step. Lockout: guesses since
    /// the last wait.
    var step: UInt16 { get set }
    /// Escalating delay: requests made on the highest step. Lockout: failures since the last
    /// success.
    var failures: UInt16 { get set }
}

extension CountedState {
    /// Empties the state.
    mutating func forget() {
        moments.count = 0
        step = 0
        failures = 0
    }

    /// Whether the state has nothing to store.
    var isEmpty: Bool { moments.isEmpty }
}

/// A state as a value.
struct LimitState: CountedState, Equatable, Sendable {
    /// The kinds of rules; the raw value is stored on disk.
    enum Kind: UInt8, Sendable {
        case slidingWindow = 1
        case gcra = 2
        case escalatingDelay = 3
        case lockout = 4
    }

    let kind: Kind
    var moments = Moments()
    var step: UInt16 = 0
    var failures: UInt16 = 0

    /// Creates an empty state.
    init(_ kind: Kind) {
        self.kind = kind
    }

    /// A copy of another.
    init(_ state: borrowing some CountedState) {
        kind = state.kind
        moments = Moments(state.moments)
        step = state.step
        failures = state.failures
    }
}

/// The answer of one rule to one charge.
struct LimitAnswer: Hashable, Sendable {
    var isLimited = false
    /// When a charge can succeed again, in milliseconds since 1970. Nil if it can now; in a limited
    /// answer nil means only after a reset.
    var retryAt: Int64?
    /// Charges left after this one.
    var remaining = 0
    /// The number of this charge in the current count, from 1.
    var attempt = 1
    /// When the state would no longer count if this were the last charge; nil for never.
    var resetAt: Int64?
}

/// Up to 64 moments, oldest first, stored as 32-bit milliseconds after the first one. The rules
/// work on any conforming type: on a value (`Moments`), or in place on the bytes of the table
/// (`SlotState.List`), so that a decision copies nothing.
///
/// Moments more than 49 days apart do not fit; the older ones are then moved forward. Such a charge
/// counts longer than it must, which errs on the strict side. No rule looks back that far.
protocol MomentList {
    /// The first moment, in milliseconds since 1970; undefined while empty.
    var base: Int64 { get set }
    /// The number of moments.
    var count: Int { get set }
    /// Milliseconds after `base`. The value of the first moment is always 0.
    subscript(offset index: Int) -> UInt32 { get set }
}

extension MomentList {
    /// The largest offset, in milliseconds.
    private static var span: Int64 { Int64(UInt32.max) }

    var isEmpty: Bool { count == 0 }

    /// The newest.
    var last: Int64? { isEmpty ? nil : self[count - 1] }

    @inline(__always)
    subscript(index: Int) -> Int64 { base &+ Int64(self[offset: index]) }

    /// Whether the list contains a moment.
    func contains(_ moment: Int64) -> Bool { index(of: moment) != nil }

    /// Inserts a moment in order; a 65th moment drops the oldest.
    mutating func insert(_ moment: Int64) {
        if count == LimitRule.momentsMax { dropFirst(1) }
        guard !isEmpty else {
            base = moment
            self[offset: 0] = 0
            count = 1
            return
        }
        if moment < base { insertFirst(moment) } else { insertLater(moment) }
    }

    /// Removes one occurrence of a moment, if there is one.
    @discardableResult
    mutating func remove(_ moment: Int64) -> Bool {
        guard let index = index(of: moment) else { return false }
        if index == 0 {
            dropFirst(1)
            return true
        }
        for next in index + 1..<max(index + 1, count) {
            self[offset: next - 1] = self[offset: next]
        }
        count -= 1
        return true
    }

    /// Drops the oldest `number` moments.
    mutating func dropFirst(_ number: Int) {
        guard number > 0 else { return }
        guard number < count else { return count = 0 }
        let start = self[offset: number]
        self[offset: 0] = 0
        for index in number + 1..<max(number + 1, count) {
            self[offset: index - number] = self[offset: index] &- start
        }
        base += Int64(start)
        count -= number
    }

    private func index(of moment: Int64) -> Int? {
        (0..<count).first { self[$0] == moment }
    }

    /// Inserts a moment before all others, for example after the clock was set back.
    private mutating func insertFirst(_ moment: Int64) {
        let start = max(moment, self[count - 1] - Self.span)
        for index in stride(from: count, to: 0, by: -1) {
            self[offset: index] = UInt32(clamping: self[index - 1] - start)
        }
        base = start
        count += 1
    }

    private mutating func insertLater(_ moment: Int64) {
        if moment - base > Self.span { raiseBase(to: moment - Self.span) }
        var index = count
        while index > 1, self[index - 1] > moment {
            self[offset: index] = self[offset: index - 1]
            index -= 1
        }
        self[offset: index] = UInt32(clamping: moment - base)
        count += 1
    }

    private mutating func raiseBase(to start: Int64) {
        for index in 1..<max(1, count) {
            self[offset: index] = UInt32(clamping: self[index] - start)
        }
        base = start
    }
}

/// Moments as a value (`MomentList`).
struct Moments: MomentList, Sendable {
    var base: Int64 = 0
    var count = 0
    private var offsets = InlineArray<64, UInt32>(repeating: 0)

    /// Creates an empty list.
    init() {}

    /// Copies another list.
    init(_ list: borrowing some MomentList) {
        base = list.base
        count = list.count
        for index in 0..<list.count { offsets[index] = list[offset: index] }
    }

    subscript(offset index: Int) -> UInt32 {
        get { offsets[index] }
        set { offsets[index] = newValue }
    }
}

extension Moments: Equatable {
    static func == (left: Moments, right: Moments) -> Bool {
        left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
    }
}
