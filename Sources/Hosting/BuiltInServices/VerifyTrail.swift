package import Messages
package import RPC
import ServiceRuntime
import Storage

/// What the operator's tool proves the trail with. Only it: the work is a full read of the
/// trail, and the gateway has no use of it.
extension EventFeed {
    /// Proves a part of the trail.
    package func verifyTrail(
        _ request: EventsV1.VerifyTrailRequest, _ context: CallContext
    ) async throws -> EventsV1.VerifyTrailResponse {
        try context.requireOperator()
        guard request.fromPosition >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["from_position"])
        }
        let verification = try TrailVerification(of: store, time: time)
        let part = try await verification.part(
            after: request.fromPosition, link: request.link)
        return EventsV1.VerifyTrailResponse(
            position: part.position, link: part.link, isWhole: part.isWhole,
            records: part.records, firstAtMs: part.firstAt?.milliseconds ?? 0,
            lastAtMs: part.lastAt?.milliseconds ?? 0, uncovered: part.uncovered,
            cutPosition: part.cutPosition ?? 0, broken: part.broken.map(Self.span),
            spans: part.spans.map {
                EventsV1.LinkedSpan(
                    lastPosition: $0.last, atMs: $0.at.milliseconds, trail: $0.trail,
                    hasOthers: $0.hasOthers)
            },
            statements: part.statements.map {
                EventsV1.TrailStatement(
                    isCut: $0.kind == .cut, trail: $0.trail, position: $0.position, link: $0.link)
            })
    }

    /// Returns the key of the signatures in heads and cuts.
    package func showTrailKey(
        _ request: EventsV1.ShowTrailKeyRequest, _ context: CallContext
    ) async throws -> EventsV1.ShowTrailKeyResponse {
        try context.requireOperator()
        let verification = try TrailVerification(of: store, time: time)
        return EventsV1.ShowTrailKeyResponse(
            service: verification.service, keyId: verification.keyIdentifier,
            publicKey: verification.publicKey)
    }

    private static func span(_ broken: TrailBreak) -> EventsV1.BrokenSpan {
        EventsV1.BrokenSpan(
            firstPosition: broken.first, lastPosition: broken.last,
            fromMs: broken.from?.milliseconds ?? 0, toMs: broken.to?.milliseconds ?? 0,
            reason: broken.reason.rawValue)
    }
}
