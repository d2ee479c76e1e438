import Contracts
import Messages
import RPC

extension ConsentsHandler {
    /// G-23: identify the caller's account → charge the limits on its mails to parents and on the
    /// address → have the link mailed.
    func requestParentalConsent(
        _ request: GatewayV1.RequestParentalConsentRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestParentalConsentResponse {
        let onward = try context.onward(for: ConsentsDescription.requestParentalConsent)
        let account = try await tokens.requiredAccount(context)
        let (answer, _) = try await limits.charging(
            .parentalMail(account: account), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await limits.countingUnrequestedMail(
                toNew: request.parentEmail, context, onward
            ) {
                try await consents.requestParentalConsent(request, onward)
            }
        }
        return answer
    }
}
