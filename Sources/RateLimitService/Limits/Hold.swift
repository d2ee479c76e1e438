package import Messages
package import RPC
import ServiceRuntime

extension LimitsHandler {
    /// Holds the charge of a first proof, so that its second proof can give it back (F-03,
    /// `ChargeLedger`). One that is unknown by now stays.
    package func hold(
        _ request: RateLimitV1.HoldRequest, _ context: CallContext
    ) throws -> RateLimitV1.HoldResponse {
        let (id, now) = (try ChargeIDs.read(request.chargeId), time.now())
        ledger.withLock { $0.hold(id, at: now) }
        return RateLimitV1.HoldResponse()
    }
}
