import Messages
import RPC

extension ConsentsHandler {
    /// What the account has agreed to, and what the operator asks for (G-23).
    func getConsents(
        _ request: GatewayV1.GetConsentsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetConsentsResponse {
        let caller = try await caller(call)
        return GatewayV1.GetConsentsResponse(
            consents: caller.consents.messages,
            isCurrent: caller.consents.versions == settings.current, options: settings.message,
            parentalConsent: caller.parentalConsent.message)
    }
}
