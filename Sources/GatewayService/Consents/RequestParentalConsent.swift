import Contracts
import Messages
import RPC

extension ConsentsHandler {
    /// G-23: identify the caller's account → charge the limits on its mails to parents and on the
    /// address → have the link mailed.
    /// - Throws: `auth/invalid-email`, `auth/operation-not-allowed`, `auth/too-many-requests`,
    ///   `auth/requires-recent-login` except for a guest,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `auth/idempotency-key-reused`.
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
