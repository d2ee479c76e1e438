import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Synchronization

/// `postern.ratelimit.v1.Limits` (R-01 … R-06): exact decisions in memory, on disk before the
/// response if the limit is durable, so that a restart resets no limit.
package final class LimitsHandler: LimitsService {
    /// The states of subjects under limits.
    let subjects: SubjectTable
    let devices: KnownDevices
    let sites: SharedSites
    let ledger: SharedLedger
    let policies: CurrentPolicies
    let hits: LimitHits
    let chargeIDs: ChargeIDs
    /// The applications that may delete subjects' states.
    let resetsFrom: [String]
    let time: any Time
    let alarm = Mutex(CredentialStuffingDetector())

    /// The states by their keys.
    var table: LimitTable { subjects.table }

    init(
        subjects: SubjectTable, marks: SubjectTable, ledger: SharedLedger,
        policies: CurrentPolicies, hits: LimitHits, chargeIDs: ChargeIDs, resetsFrom: [String],
        time: any Time
    ) {
        self.subjects = subjects
        devices = KnownDevices(subjects: marks)
        sites = SharedSites(marks, policies)
        self.ledger = ledger
        self.policies = policies
        self.hits = hits
        self.chargeIDs = chargeIDs
        self.resetsFrom = resetsFrom
        self.time = time
    }
}

/// Responses and reports about decisions.
extension LimitsHandler {
    /// The wait in a response if only an operator can end it: a day, in milliseconds.
    private static let waitWithoutEnd: Int64 = 24 * 3_600_000
    /// The wait if there was no capacity to count, in milliseconds: the next sweep may free some.
    private static let waitForCapacity: Int64 = 60_000

    /// Counts a decision in metrics and reports.
    /// - Returns: whether it is the first refusal of a wait.
    func count(_ verdict: LimitVerdict, of plan: ChargePlan, at now: Timestamp) -> Bool {
        if verdict.isFull { hits.full() }
        var isFirst = false
        if verdict.isLimited {
            let requestIndex = verdict.deciding
            isFirst = hits.record(
                plan.limits[requestIndex], plan.requests[requestIndex].key, verdict, at: now)
        }
        if verdict.shadowLimited != 0 {
            for limit in plan.shadowHits(verdict, policies.value) { hits.recordShadow(limit) }
        }
        return isFirst && !verdict.isFull
    }

    /// The decision as a message.
    func answer(
        _ verdict: LimitVerdict, _ plan: ChargePlan, _ language: String, _ now: Timestamp
    ) -> RateLimitV1.Decision {
        let limit = plan.limits[verdict.deciding]
        var decision = RateLimitV1.Decision(
            limited: verdict.isLimited, limit: limit.rawValue,
            remaining: UInt32(clamping: verdict.remaining),
            attempt: UInt32(clamping: verdict.attempt),
            resetAtMs: verdict.resetAt?.milliseconds ?? 0)
        guard verdict.isLimited else { return decision }
        let wait =
            verdict.retryAt.map { max(1, ($0 - now).milliseconds) }
            ?? (verdict.isFull ? Self.waitForCapacity : nil)
        decision.retryAfterMs = UInt64(clamping: wait ?? Self.waitWithoutEnd)
        decision.sentence = limit.definition.wording.sentence(
            milliseconds: wait, in: Voice(tag: language) ?? .english)
        return decision
    }
}

extension LimitsHandler {
    /// Returns the decision that `consume` would make, and charges nothing.
    package func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) throws -> RateLimitV1.PeekResponse {
        let now = time.now()
        let charges = try RequestedCharge.read(
            request.charges, mayBeParts: CallContext.operators.contains(context.application))
        let (plan, verdict) = try planAndDecide(charges, at: now) { apply(.peek, $0, at: now) }
        return RateLimitV1.PeekResponse(
            decision: answer(verdict ?? LimitVerdict(), plan, request.language, now))
    }
}
