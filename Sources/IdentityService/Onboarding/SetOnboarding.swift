import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDocumentsHandler {
    /// Sets whether an account has completed onboarding, for the app's backend (G-18). It stays so
    /// until the next completion.
    /// - Throws: `rpc/not-found` without the account; as `BackendCalls.verified`.
    func setOnboarding(
        _ request: IdentityV1.SetOnboardingRequest, _ context: CallContext
    ) async throws -> IdentityV1.SetOnboardingResponse {
        guard let caller = request.backend else {
            throw ServiceError(.invalidArgument, fields: ["backend"])
        }
        let backend = try backends.verified(
            caller, .setOnboarding, [Array((request.complete ? "true" : "false").utf8)])
        var event = AuditEvent(
            .onboardingSetByBackend, account: backend.account.key,
            attempt: request.complete ? 1 : 0
        ).from(CallOrigin(request.origin, hash: keys.audit))
        event.actor = backend.actor
        let changed = event
        try await store.write(about: [.account(backend.account)]) { transaction in
            guard let record = try transaction.onboardingRecord(backend.account) else {
                throw ServiceError(.notFound, fields: ["account_id"])
            }
            guard record.isSet != request.complete else { return }
            try transaction.setOnboarding(request.complete, of: backend.account)
            try transaction.audit(changed)
        }
        return IdentityV1.SetOnboardingResponse()
    }
}
