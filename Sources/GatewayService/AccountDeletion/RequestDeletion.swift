import Contracts
import Messages
import RPC
import ServiceRuntime

extension AccountDeletionHandler {
    /// G-19: identify the caller → charge the limit on mails to the account → have the deletion
    /// begun. The limit bounds the mails of a session that requests and cancels in turns. A mailed
    /// link cannot be guessed and has been charged when it was requested.
    /// - Throws: `auth/invalid-confirmation`, `auth/requires-recent-login`, `auth/invalid-link`,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `auth/too-many-requests`, `rpc/invalid-argument`.
    func requestDeletion(
        _ request: GatewayV1.RequestDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDeletionResponse {
        let origin = try Origin.of(nil, context)
        let (caller, session) = try await caller(request.linkToken, context)
        let onward = context.onward()
        let inner = IdentityV1.RequestDeletionRequest(
            caller: caller, confirmationToken: request.confirmationToken, wait: request.wait,
            origin: origin, acceptLanguage: context.acceptedLanguage)
        let answer: IdentityV1.RequestDeletionResponse
        if let session {
            answer = try await limits.charging(
                .verificationMail(account: session.accountID), context
            ) {
                try await deletions.requestDeletion(inner, onward)
            }.answer
        } else {
            answer = try await deletions.requestDeletion(inner, onward)
        }
        return GatewayV1.RequestDeletionResponse(
            deletion: answer.deletion.map(GatewayV1.Deletion.init))
    }
}
