import Contracts
import Messages
import RPC
import ServiceRuntime

/// G-12: who is signed in? → limit, as verification mails, and on the new address → have identity
/// take the change on.
/// Whether its owner proved to be it lately is identity's to ask, by the token that is handed on: a
/// gateway that was taken over changes nobody's address.
struct RequestEmailChangeFlow: Sendable {
    let changes: any EmailChangesAPI
    let sessions: any SessionsAPI
    let limits: LimitGuard

    /// - Throws: `auth/invalid-access-token`, `auth/requires-recent-login`, `auth/invalid-email`,
    ///   `auth/email-already-in-use`, `auth/too-many-requests`, `auth/operation-not-allowed`.
    func run(
        _ request: GatewayV1.RequestEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestEmailChangeResponse {
        let onward = try context.onward(for: "RequestEmailChange")
        let origin = try Origin.of(request.device, context)
        let account = try await sessions.live(request.accessToken, context).accountId
        let (answer, _) = try await LimitedMail(limits: limits).run(
            .verificationMail(account: account), language: request.language, context, onward
        ) {
            try await LimitedMail(limits: limits).runUnasked(
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

/// G-12: make the new address the account's. Inside the account's session the link alone does that,
/// elsewhere its password is asked for; identity counts the tries.
struct ConfirmEmailChangeFlow: Sendable {
    let changes: any EmailChangesAPI
    let limits: LimitGuard

    /// - Throws: `auth/invalid-link`, `auth/password-needed`, `auth/invalid-credential`,
    ///   `auth/email-already-in-use`.
    func run(
        _ request: GatewayV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ConfirmEmailChangeResponse {
        let onward = try context.onward(for: "ConfirmEmailChange")
        let origin = try Origin.of(request.device, context)
        let confirmed = try await changes.confirmEmailChange(
            IdentityV1.ConfirmEmailChangeRequest(
                token: request.token, accessToken: request.accessToken,
                password: request.password, origin: origin), onward)
        // Devices are known by the address: those of the former one say nothing of this.
        await limits.remember(
            confirmed.account?.email ?? "", on: origin.deviceId, forgettingOthers: true, context)
        return GatewayV1.ConfirmEmailChangeResponse(account: confirmed.account)
    }
}

/// G-12: drop the change that waits.
struct CancelEmailChangeFlow: Sendable {
    let changes: any EmailChangesAPI

    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`.
    func run(
        _ request: GatewayV1.CancelEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.CancelEmailChangeResponse {
        let onward = try context.onward(for: "CancelEmailChange")
        let answer = try await changes.cancelEmailChange(
            IdentityV1.CancelEmailChangeRequest(
                accessToken: request.accessToken, origin: try Origin.of(request.device, context)),
            onward)
        return GatewayV1.CancelEmailChangeResponse(cancelled: answer.cancelled)
    }
}
