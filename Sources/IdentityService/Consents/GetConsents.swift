import Messages
import RPC

extension AccountConsentsHandler {
    /// What the account has agreed to, and what the operator asks for (G-23).
    /// - Throws: as `caller(_:_:)`.
    func getConsents(
        _ request: IdentityV1.GetConsentsRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetConsentsResponse {
        let caller = try await caller(request.accessToken, context)
        return IdentityV1.GetConsentsResponse(
            consents: caller.consents.messages,
            isCurrent: caller.consents.versions == settings.current, options: settings.message,
            parentalConsent: caller.parentalConsent.message)
    }
}
