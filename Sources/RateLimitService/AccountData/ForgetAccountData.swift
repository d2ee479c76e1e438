import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Deletes what limits count of the account, its emails and its phone numbers, with one audit
    /// event that names none of them.
    /// - Throws: `rpc/permission-denied` unless identity calls; `rpc/invalid-argument`;
    ///   `rpc/unavailable` if the disk accepts no writes. The call can be repeated.
    func forgetAccountData(
        _ request: AccountDataV1.ForgetAccountDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ForgetAccountDataResponse {
        try context.requireIdentity()
        let counted = counted(try AccountDataSubject(request.subject))
        let (subjects, policies, now) = (limits.subjects, limits.policies.value, time.now())
        for counted in counted {
            var keys: [LimitKey] = []
            subjects.decide(.reset, at: now) { ring in
                let request = subjects.request(
                    counted.limit, counted.name.text, policies.rule(counted.limit), ring, at: now)
                keys = [request.key]
                return [request]
            }
            limits.ledger.withLock { $0.forget(keys) }
        }
        if !counted.isEmpty {
            try await subjects.finish()
            try await limits.hits.audit(
                AuditEvent(.limitReset, attempt: Int64(clamping: counted.count)))
        }
        return AccountDataV1.ForgetAccountDataResponse(rows: UInt32(clamping: counted.count))
    }
}
