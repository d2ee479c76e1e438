import Contracts
package import Messages
package import RPC
import ServiceRuntime

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
