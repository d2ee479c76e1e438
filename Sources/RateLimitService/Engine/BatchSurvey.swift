import Contracts
import ServiceRuntime

/// Combines the answers of a batch's rules into the strictest one.
struct BatchSurvey {
    private(set) var verdict = LimitVerdict(remaining: .max)

    /// Whether the deciding request is counted in a pool.
    var isPooled: Bool { isPooled(verdict.deciding) }

    /// Whether the request at that index is counted in a pool.
    func isPooled(_ place: Int) -> Bool { verdict.pooled & (1 << UInt32(place)) != 0 }

    /// Whether the request at that index must not be charged: it is in shadow mode and at its
    /// limit.
    func isSpared(_ place: Int) -> Bool { verdict.shadowLimited & (1 << UInt32(place)) != 0 }

    /// Adds one rule's answer.
    mutating func add(
        _ answer: LimitAnswer, of request: LimitRequest, at place: Int, isPooled: Bool,
        isNoted: Bool
    ) {
        if isPooled {
            verdict.pooled |= 1 << UInt32(place)
            verdict.isFull = true
        }
        if request.isShadow {
            if answer.isLimited { verdict.shadowLimited |= 1 << UInt32(place) }
            // A limit in shadow mode decides only as long as no other one does.
            guard !answer.isLimited, verdict.remaining == .max, !verdict.isLimited else { return }
            return decide(answer, place, isNoted: isNoted, remaining: .max)
        }
        if answer.isLimited {
            guard !verdict.isLimited || Self.isLater(answer.retryAt, verdict.retryAt) else {
                return
            }
            decide(answer, place, isNoted: isNoted, remaining: 0)
        } else if !verdict.isLimited, answer.remaining < verdict.remaining {
            decide(answer, place, isNoted: isNoted, remaining: answer.remaining)
        }
    }

    /// Refuses: there was no capacity, not even for a pool.
    mutating func refuse(_ place: Int) {
        verdict.isFull = true
        decide(LimitAnswer(isLimited: true), place, isNoted: false, remaining: 0)
    }

    private mutating func decide(
        _ answer: LimitAnswer, _ place: Int, isNoted: Bool, remaining: Int
    ) {
        verdict.isLimited = answer.isLimited
        verdict.deciding = place
        verdict.retryAt = answer.retryAt.map(Timestamp.init(milliseconds:))
        verdict.remaining = remaining
        verdict.attempt = answer.attempt
        verdict.resetAt = answer.resetAt.map(Timestamp.init(milliseconds:))
        verdict.isFirst = answer.isLimited && !isNoted
    }

    /// Whether `one` is the longer wait; nil is permanent.
    private static func isLater(_ one: Int64?, _ other: Timestamp?) -> Bool {
        guard let other else { return false }
        return one.map { $0 > other.milliseconds } ?? true
    }
}
