import CallRecords
import Contracts
package import Messages
package import RPC
import ServiceRuntime

/// The operator's rpcs, besides the limits file: `postern limits`.
package struct LimitOperations: LimitOperationService {
    let policies: PoliciesInForce
    let subjectKeys: SubjectKeys
    let time: any Time

    /// Lists all limits with their current rules.
    /// - Throws: `rpc/permission-denied` unless the operator's tool calls.
    package func listLimits(
        _ request: RateLimitV1.ListLimitsRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ListLimitsResponse {
        try context.requireOperator()
        let policies = policies.value
        let limits = LimitName.allCases.sorted { $0.rawValue < $1.rawValue }
        return RateLimitV1.ListLimitsResponse(
            limits: limits.map { RateLimitV1.Limit($0, policies[$0]) })
    }

    /// Lists the secrets that subjects are hashed under, without the secrets themselves.
    /// - Throws: `rpc/permission-denied` unless the operator's tool calls.
    package func listSubjectKeys(
        _ request: RateLimitV1.ListSubjectKeysRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ListSubjectKeysResponse {
        try context.requireOperator()
        return RateLimitV1.ListSubjectKeysResponse(keys: keys)
    }

    /// Makes a new secret the current one.
    /// - Throws: `rpc/permission-denied` unless the operator's tool calls; `auth/too-many-requests`
    ///   while the former secrets are still needed; `rpc/unavailable` if the store cannot be
    ///   written.
    package func rotateSubjectKey(
        _ request: RateLimitV1.RotateSubjectKeyRequest, _ context: CallContext
    ) async throws -> RateLimitV1.RotateSubjectKeyResponse {
        try context.requireOperator()
        try await subjectKeys.rotate(
            at: time.now(), forgettingOldest: request.forgetOldest)
        return RateLimitV1.RotateSubjectKeyResponse(keys: keys)
    }

    private var keys: [RateLimitV1.SubjectKey] {
        let ring = subjectKeys.ring
        return ([ring.current] + ring.formers).map { secret in
            RateLimitV1.SubjectKey(
                number: secret.number, sinceMs: secret.since.milliseconds,
                untilMs: secret.until?.milliseconds ?? 0)
        }
    }
}

extension RateLimitV1.Limit {
    fileprivate init(_ limit: LimitName, _ policy: LimitPolicy) {
        self.init(
            name: limit.rawValue, rule: policy.rule.text, changed: policy.rule != limit.rule,
            shadow: policy.isShadow, durable: limit.definition.isDurable,
            internal: limit.isInternal, settings: limit.isOperators ? policy.settings(limit) : [])
    }
}
