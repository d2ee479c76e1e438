/// The stored state of one subject under one limit: moments and two small numbers, whose meaning
/// depends on the rule. It contains none of the rule's own numbers, so that an operator can change
/// them.
///
/// The rules work on any conforming type: on a value (`LimitState`) or in place (`SlotState`).
protocol CountedState {
    associatedtype List: MomentList

    /// The kind of rule that counted it.
    var kind: LimitState.Kind { get }
    /// Ring: the charges. Rate: the one moment when the bucket is empty. Ladder: the charges of a
    /// day, and the latest. Lock: the start of the current series of failures, and the latest.
    var moments: List { get set }
    /// Rate: microseconds to add to the moment. Ladder: the step. Lock: guesses since the last
    /// wait.
    var step: UInt16 { get set }
    /// Ladder: requests made on the highest step. Lock: failures since the last success.
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
        case ring = 1
        case rate = 2
        case ladder = 3
        case lock = 4
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
