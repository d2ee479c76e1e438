/// What is kept of one subject under one limit: moments and two small numbers, whose meaning is
/// the rule's. Never the rule's own numbers, so that an operator can change them.
struct LimitState: Equatable, Sendable {
    /// Which rule it was counted by; the raw value stands on disk.
    enum Kind: UInt8, Sendable {
        case ring = 1
        case rate = 2
        case ladder = 3
        case lock = 4
    }

    let kind: Kind
    /// Ring: the charges. Rate: the one moment when the bucket is empty. Ladder: the charges of a
    /// day, and the latest. Lock: when this series of failures began, and the latest.
    var moments = Moments()
    /// Rate: microseconds beyond the moment. Ladder: the rung. Lock: guesses since the last wait.
    var step: UInt16 = 0
    /// Ladder: requests made on the highest rung. Lock: failures since the last success.
    var failures: UInt16 = 0
    /// Whether it was told that the limit is reached, so that a flood leaves one record.
    var isNoted = false

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Forgets everything.
    mutating func forget() {
        moments.count = 0
        step = 0
        failures = 0
    }

    /// Whether there is nothing to keep.
    var isEmpty: Bool { moments.isEmpty }
}
