import Contracts
import ServiceRuntime

@testable import RateLimitService

/// The model for `LimitTable`: the pure rules over a dictionary.
struct ModelTable {
    private(set) var states: [LimitKey: LimitState] = [:]
    /// The subjects whose rejection has been reported.
    private var reported: Set<LimitKey> = []

    mutating func apply(
        _ operation: BatchOperation, _ batch: [LimitRequest], at time: Timestamp
    ) -> LimitVerdict {
        let now = time.milliseconds
        switch operation {
        case .peek: break
        case .consume: return consume(batch, at: now)
        case .success: for request in batch { change(request) { request.rule.succeed(&$0) } }
        case .refund(let moment):
            let charged = moment.milliseconds
            for request in batch {
                guard let state = states[request.key],
                    request.rule.mayHold(state, charged, request.amount, at: now)
                else { continue }
                reported.remove(request.key)
                change(request) { request.rule.refund(&$0, of: charged, request.amount, at: now) }
            }
        case .reset: for request in batch { change(request) { $0.forget() } }
        }
        return verdict(batch, at: now)
    }

    /// Removes expired states.
    mutating func sweep(at now: Int64, _ rules: [UInt16: CountingRule]) {
        states = states.filter { key, state in
            guard let rule = rules[key.limit] else { return true }
            return rule.end(state) > now
        }
        reported.formIntersection(states.keys)
    }

    private mutating func consume(_ batch: [LimitRequest], at now: Int64) -> LimitVerdict {
        let verdict = verdict(batch, at: now)
        if verdict.isLimited {
            reported.insert(batch[verdict.deciding].key)
        } else {
            for request in batch {
                var state = state(request)
                request.rule.charge(&state, of: request.amount, at: now)
                reported.remove(request.key)
                states[request.key] = state
            }
        }
        return verdict
    }

    private func verdict(_ batch: [LimitRequest], at now: Int64) -> LimitVerdict {
        var survey = BatchSurvey()
        for (requestIndex, request) in batch.enumerated() {
            let state = state(request)
            survey.add(
                request.rule.answer(state, of: request.amount, at: now), of: request,
                at: requestIndex, isShared: false, isReported: reported.contains(request.key))
        }
        return survey.verdict
    }

    private func state(_ request: LimitRequest) -> LimitState {
        states[request.key] ?? LimitState(request.rule.kind)
    }

    private mutating func change(_ request: LimitRequest, _ body: (inout LimitState) -> Void) {
        guard var state = states[request.key] else { return }
        body(&state)
        states[request.key] = state.isEmpty ? nil : state
        if state.isEmpty { reported.remove(request.key) }
    }
}
