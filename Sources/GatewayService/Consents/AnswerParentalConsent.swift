import Contracts
import Messages
import RPC

extension ConsentsHandler {
    /// G-23: have the parent's answer recorded. Nothing is charged: the token cannot be guessed.
    /// - Throws: `auth/invalid-link`, `rpc/invalid-argument`.
    func answerParentalConsent(
        _ request: GatewayV1.AnswerParentalConsentRequest, _ context: CallContext
    ) async throws -> GatewayV1.AnswerParentalConsentResponse {
        let origin = try Origin.of(nil, context)
        let answer = try await consents.answerParentalConsent(
            IdentityV1.AnswerParentalConsentRequest(
                token: request.token,
                answer: request.answer,
                origin: origin),
            context.onward())
        return GatewayV1.AnswerParentalConsentResponse(
            state: answer.state, childName: answer.childName)
    }
}
