import Messages
import RPC

extension AccountConsentsHandler {
    /// What the account has agreed to, and what the operator asks for (G-23).
    /// - Throws: as `given(_:_:)`.
    func getConsents(
        _ request: IdentityV1.GetConsentsRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetConsentsResponse {
        let given = try await given(request.accessToken, context)
        return IdentityV1.GetConsentsResponse(
            consents: given.messages, isCurrent: given.versions == settings.current,
            options: settings.message)
    }
}
