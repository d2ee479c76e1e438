import Contracts
import Messages
import RPC
import ServiceRuntime

/// G-12: confirm an address by the token from its link. Inside the account's own session the link
/// alone confirms. Elsewhere a password must be typed, since the one on record may be a stranger's
/// who signed up with somebody else's address (design.md, "VerifyEmail").
struct VerifyEmailFlow: Sendable {
    let accounts: any AccountsAPI
    let sessions: any SessionsAPI

    func run(
        _ request: GatewayV1.VerifyEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.VerifyEmailResponse {
        let onward = try context.onward(for: "VerifyEmail")
        let origin = try Origin.of(request.device, context)
        let confirmed = try await accounts.confirmEmail(
            IdentityV1.ConfirmEmailRequest(
                token: request.token, accountId: try await owner(request.accessToken, context),
                password: request.password, origin: origin), onward)
        return GatewayV1.VerifyEmailResponse(account: confirmed.account)
    }

    /// The account of the session that asks; empty without one. A token that is no longer good is
    /// as none: the link is not lost, a password will do.
    private func owner(_ accessToken: String, _ context: CallContext) async throws -> String {
        guard !accessToken.isEmpty else { return "" }
        return try await sessions.validate(
            SessionV1.ValidateRequest(accessToken: accessToken), context.onward()
        ).accountId
    }
}
