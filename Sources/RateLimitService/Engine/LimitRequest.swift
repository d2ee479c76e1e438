package import Contracts
import Cryptography
package import ServiceRuntime

/// One limit of a batch, and its subject.
package struct LimitRequest: Sendable {
    /// The limit and subject.
    package let key: LimitKey
    let rule: CountingRule
    /// Counted and reported, but not enforced.
    package var isShadow: Bool
    /// How many units the charge has, from 1 (`CountingRule.units(of:)`).
    package var amount = 1
    /// The charge to refund is in the shared bucket; its verdict said so.
    package var isShared = false
    /// The key is under a former secret, where the subject's state was found. If that has ended
    /// since, the batch is not decided (`SubjectKeyRing`).
    var isUnderFormer = false

    /// Creates a request with a rule in the form for decisions.
    init(key: LimitKey, rule: CountingRule, isShadow: Bool) {
        self.key = key
        self.rule = rule
        self.isShadow = isShadow
    }

    /// Creates a request with a rule as it is configured.
    /// - Precondition: the rule has no `flaw`.
    package init(key: LimitKey, rule: LimitRule, isShadow: Bool) {
        self.init(key: key, rule: CountingRule(rule), isShadow: isShadow)
    }

    /// The same limit's request with another key.
    package func about(_ key: LimitKey) -> LimitRequest {
        var request = LimitRequest(key: key, rule: rule, isShadow: isShadow)
        request.amount = amount
        return request
    }
}

/// A limit and its subject as the table stores them: a keyed hash, never plain text.
package struct LimitKey: Hashable, Sendable {
    /// The limit's number.
    package let limit: UInt16
    /// The hash's first eight bytes; they determine its position in the table.
    package let high: UInt64
    /// The hash's other eight bytes.
    package let low: UInt64

    /// Creates a key from the two halves of a hash.
    package init(limit: UInt16, high: UInt64, low: UInt64) {
        self.limit = limit
        self.high = high
        self.low = low
    }
}

extension LimitKey {
    /// The table's order.
    func isBefore(_ key: LimitKey) -> Bool {
        if high != key.high { return high < key.high }
        if low != key.low { return low < key.low }
        return limit < key.limit
    }

    /// Creates a key from a hash of 16 bytes.
    init(limit: UInt16, hash: [UInt8]) {
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(limit: limit, high: word(hash.prefix(8)), low: word(hash.dropFirst(8).prefix(8)))
    }

    /// The hash, 16 bytes.
    var hash: [UInt8] { [high, low].flatMap(\.bigEndianBytes) }
}

/// The operation on a batch.
package enum BatchOperation: Sendable {
    /// Returns the decision that a charge would get; changes nothing.
    case peek
    /// Charges every request or, if one that is enforced is limited, none.
    case consume
    /// The attempt succeeded: escalating delays and lockouts start over; limits on all attempts
    /// continue.
    case success
    /// Refunds the charges that `consume` made at that moment.
    case refund(at: Timestamp)
    /// Deletes the subjects' states.
    case reset
}

/// The decision on a batch: the strictest answer of the limits that are enforced.
package struct LimitVerdict: Hashable, Sendable {
    /// Nothing was charged.
    package var isLimited = false
    /// The index of the request that decided: the one with the longest wait, or with the fewest
    /// charges left.
    package var deciding = 0
    /// When a charge can succeed again. Nil if it can now; in a limited verdict nil means only
    /// after a reset.
    package var retryAt: Timestamp?
    /// Charges left after this one.
    package var remaining = 0
    /// The number of this charge in the deciding limit's count, from 1.
    package var attempt = 1
    /// When the state would no longer count if this were the last charge; nil for never.
    package var resetAt: Timestamp?
    /// There was no capacity for a new subject of the batch: it was counted in a shared bucket
    /// together with others, or refused. Operators get an alarm.
    package var isFull = false
    /// Limited for the first time since the subject's last charge: true once for each wait, so that
    /// a flood leaves one record.
    package var isFirst = false
    /// The requests in shadow mode that would have been limited: one bit for each index.
    package var shadowLimited: UInt32 = 0
    /// The requests that are counted in a shared bucket: one bit for each index.
    package var shared: UInt32 = 0
    /// The batch's secret has been replaced, or a state under a former one has ended: nothing was
    /// decided, and its subjects are to be looked up again (`SubjectKeyRing`).
    package var isStale = false

    /// Whether the request at that index is counted in a shared bucket.
    func isShared(_ requestIndex: Int) -> Bool { shared & 1 << UInt32(requestIndex) != 0 }

    /// Whether the request at that index must not be charged: it is in shadow mode and at its
    /// limit.
    func isSpared(_ requestIndex: Int) -> Bool { shadowLimited & 1 << UInt32(requestIndex) != 0 }
}

/// Combines the answers of a batch's rules into the strictest one.
struct BatchSurvey {
    private(set) var verdict = LimitVerdict(remaining: .max)

    /// Adds one rule's answer.
    mutating func add(
        _ answer: LimitAnswer, of request: LimitRequest, at requestIndex: Int, isShared: Bool,
        isReported: Bool
    ) {
        if isShared {
            verdict.shared |= 1 << UInt32(requestIndex)
            verdict.isFull = true
        }
        if request.isShadow {
            if answer.isLimited { verdict.shadowLimited |= 1 << UInt32(requestIndex) }
            // A limit in shadow mode decides only as long as no other one does.
            guard !answer.isLimited, verdict.remaining == .max, !verdict.isLimited else { return }
            return decide(answer, requestIndex, isReported: isReported, remaining: .max)
        }
        if answer.isLimited {
            guard !verdict.isLimited || Self.isLater(answer.retryAt, verdict.retryAt) else {
                return
            }
            decide(answer, requestIndex, isReported: isReported, remaining: 0)
        } else if !verdict.isLimited, answer.remaining < verdict.remaining {
            decide(answer, requestIndex, isReported: isReported, remaining: answer.remaining)
        }
    }

    /// Refuses: there was no capacity, not even for a shared bucket.
    mutating func refuse(_ requestIndex: Int) {
        verdict.isFull = true
        decide(LimitAnswer(isLimited: true), requestIndex, isReported: false, remaining: 0)
    }

    private mutating func decide(
        _ answer: LimitAnswer, _ requestIndex: Int, isReported: Bool, remaining: Int
    ) {
        verdict.isLimited = answer.isLimited
        verdict.deciding = requestIndex
        verdict.retryAt = answer.retryAt.map(Timestamp.init(milliseconds:))
        verdict.remaining = remaining
        verdict.attempt = answer.attempt
        verdict.resetAt = answer.resetAt.map(Timestamp.init(milliseconds:))
        verdict.isFirst = answer.isLimited && !isReported
    }

    /// Whether `one` is the longer wait; nil is permanent.
    private static func isLater(_ one: Int64?, _ other: Timestamp?) -> Bool {
        guard let other else { return false }
        return one.map { $0 > other.milliseconds } ?? true
    }
}
