import ServiceRuntime

@testable import RateLimitService

/// What `LimitTable` has to come to: the pure rules over a dictionary.
struct ModelTable {
    private(set) var states: [LimitKey: LimitState] = [:]

    mutating func decide(
        _ operation: LimitOperation, _ batch: [LimitRequest], at time: Timestamp
    ) -> LimitVerdict {
        let now = time.milliseconds
        switch operation {
        case .peek: break
        case .consume: return consume(batch, at: now)
        case .success: for request in batch { change(request) { request.rule.succeed(&$0) } }
        case .refund(let moment):
            let charged = moment.milliseconds
            for request in batch {
                change(request) {
                    guard request.rule.mayHold($0, charged, at: now) else { return }
                    request.rule.refund(&$0, of: charged, at: now)
                    $0.isNoted = false
                }
            }
        case .reset: for request in batch { states[request.key] = nil }
        }
        return verdict(batch, at: now)
    }

    /// Drops what no longer counts.
    mutating func sweep(at now: Int64, _ rules: [UInt16: CountingRule]) {
        states = states.filter { key, state in
            guard let rule = rules[key.limit] else { return true }
            return rule.end(state) > now
        }
    }

    private mutating func consume(_ batch: [LimitRequest], at now: Int64) -> LimitVerdict {
        let verdict = verdict(batch, at: now)
        if verdict.isLimited {
            states[batch[verdict.deciding].key]?.isNoted = true
        } else {
            for request in batch {
                var state = state(request)
                request.rule.charge(&state, at: now)
                state.isNoted = false
                states[request.key] = state
            }
        }
        return verdict
    }

    private func verdict(_ batch: [LimitRequest], at now: Int64) -> LimitVerdict {
        var survey = BatchSurvey()
        for (place, request) in batch.enumerated() {
            let state = state(request)
            survey.add(
                request.rule.answer(state, at: now), of: request, at: place, isPooled: false,
                isNoted: state.isNoted)
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
    }
}
