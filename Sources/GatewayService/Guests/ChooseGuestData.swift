import Contracts
import Messages
import RPC

extension GuestsHandler {
    /// G-16: identify the caller's account → charge the limit → have the choice stored. It needs no
    /// idempotency key: identity answers a repeat with the migration of the first choice.
    /// - Throws: `auth/invalid-choice`, `auth/too-many-requests`, `auth/invalid-access-token`,
    ///   `auth/session-ended`, `auth/user-disabled`, `rpc/invalid-argument`.
    func chooseGuestData(
        _ request: GatewayV1.ChooseGuestDataRequest, _ context: CallContext
    ) async throws -> GatewayV1.ChooseGuestDataResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        let (answer, _) = try await limits.charging(
            .documentWrite(account: session.accountID), context
        ) {
            try await guestData.chooseGuestData(
                IdentityV1.ChooseGuestDataRequest(
                    accessToken: session.accessToken, choiceToken: request.choiceToken,
                    choice: request.choice, picks: request.picks, origin: origin),
                context.onward())
        }
        return GatewayV1.ChooseGuestDataResponse(migration: answer.migration)
    }
}
