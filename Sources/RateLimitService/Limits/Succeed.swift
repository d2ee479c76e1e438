import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension LimitsHandler {
    /// Refunds the charge of a right attempt, resets escalating delays and lockouts, and records
    /// the devices, and the site of an established account.
    package func succeed(
        _ request: RateLimitV1.SucceedRequest, _ context: CallContext
    ) throws -> RateLimitV1.SucceedResponse {
        let now = time.now()
        let charges = try RequestedCharge.read(request.charges)
        if let established = request.established { try Self.check(established) }
        if !request.chargeId.isEmpty {
            refund(try ChargeIDs.read(request.chargeId), isRight: true, at: now)
        }
        if request.forgetDevices { for charge in charges { forgetDevices(of: charge, at: now) } }
        startOver(charges, at: now)
        for charge in charges { markDevice(charge, at: now) }
        if let established = request.established { countEstablished(established, at: now) }
        return RateLimitV1.SucceedResponse()
    }

    /// Resets escalating delays and lockouts after a success. Sliding windows continue: failures of
    /// others still count, and so do those in lanes that the attempt was not charged to.
    private func startOver(_ charges: [RequestedCharge], at now: Timestamp) {
        let policies = policies.value
        for charge in charges {
            subjects.apply(.success, at: now) { ring in
                opened(by: charge, at: now).flatMap { limit, subject -> [LimitRequest] in
                    let rule = policies.rule(limit)
                    switch rule {
                    case .slidingWindow, .gcra: return []
                    case .escalatingDelay, .lockout:
                        return subjects.requestsEverywhere(limit, subject, rule, ring)
                    }
                }
            }
        }
    }

    /// What a success of a charge resets: the lane that it was charged to; the failures in a row,
    /// which end with a success from any device (NIST SP 800-63B-4 §3.2.2); and a number that was
    /// locked, once a new code was entered for it.
    private func opened(
        by charge: RequestedCharge, at now: Timestamp
    ) -> [(LimitName, String)] {
        let lane = lane(of: charge, at: now)
        var opened = [(lane.limit, lane.subject)]
        if charge.limit == TrustedLane.unknownDeviceSignIns {
            opened.append((.failedSignInInARow, charge.subject))
        }
        if lane.limit == .phoneCodeFirstGuess { opened.append((charge.limit, charge.subject)) }
        return opened
    }

    /// Records that a charge's subject has succeeded from its device.
    func markDevice(_ charge: RequestedCharge, at now: Timestamp) {
        guard TrustedLane.lane(of: charge.limit) != nil, !charge.device.isEmpty else { return }
        let owner = TrustedLane.owner(charge.limit, charge.subject)
        if !devices.mark(owner, charge.device, at: now) { hits.devicesFull() }
    }

    /// Forgets the known devices of a charge's subject.
    func forgetDevices(of charge: RequestedCharge, at now: Timestamp) {
        guard TrustedLane.lane(of: charge.limit) != nil else { return }
        let owner = TrustedLane.owner(charge.limit, charge.subject)
        if !devices.forget(owner, at: now) { hits.devicesFull() }
    }
}
