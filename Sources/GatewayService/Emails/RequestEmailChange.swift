import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-12: who is signed in? → limit, as verification mails, and on the new address → have identity
    /// take the change on.
    /// Whether its owner proved to be it lately is identity's to ask, by the token that is handed on: a
    /// gateway that was taken over changes nobody's address.
    /// - Throws: `auth/invalid-access-token`, `auth/requires-recent-login`, `auth/invalid-email`,
    ///   `auth/email-already-in-use`, `auth/too-many-requests`, `auth/operation-not-allowed`.
    package func requestEmailChange(
        _ request: GatewayV1.RequestEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestEmailChangeResponse {
        let onward = try context.onward(for: "RequestEmailChange")
        let origin = try Origin.of(request.device, context)
        let account = try await sessions.live(request.accessToken, context).accountId
        let (answer, _) = try await limits.countingMail(
            .verificationMail(account: account), language: request.language, context, onward
        ) {
            try await limits.countingUnrequestedMail(
                to: request.newEmail, refusedIn: request.language, context, onward
            ) {
                try await changes.requestEmailChange(
                    IdentityV1.RequestEmailChangeRequest(
                        accessToken: request.accessToken, newEmail: request.newEmail,
                        origin: origin), onward)
            }
        }
        return GatewayV1.RequestEmailChangeResponse(account: answer.account)
    }
}
