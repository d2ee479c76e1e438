import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.ratelimit.v1.LimitOperation`: the operator's rpcs, besides the limits file (`postern
/// limits`).
struct LimitOperationHandler: LimitOperationService {
    let policies: CurrentPolicies
    let subjectKeys: SubjectKeys
    let time: any Time
}

extension LimitOperationHandler {
    /// Lists the secrets that subjects are hashed under, without the secrets themselves.
    func listSubjectKeys(
        _ request: RateLimitV1.ListSubjectKeysRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ListSubjectKeysResponse {
        try context.requireOperator()
        return RateLimitV1.ListSubjectKeysResponse(keys: keys)
    }

    /// The current and former secrets as messages, the newest first.
    var keys: [RateLimitV1.SubjectKey] {
        let ring = subjectKeys.ring
        return ([ring.current] + ring.formers).map { secret in
            RateLimitV1.SubjectKey(
                number: secret.number, sinceMs: secret.since.milliseconds,
                untilMs: secret.until?.milliseconds ?? 0)
        }
    }

    /// Makes a new secret the current one.
    func rotateSubjectKey(
        _ request: RateLimitV1.RotateSubjectKeyRequest, _ context: CallContext
    ) async throws -> RateLimitV1.RotateSubjectKeyResponse {
        try context.requireOperator()
        try await subjectKeys.rotate(
            at: time.now(), forgettingOldest: request.forgetOldest)
        return RateLimitV1.RotateSubjectKeyResponse(keys: keys)
    }
}
