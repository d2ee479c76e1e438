package import Contracts
package import Messages
package import RPC

/// Forgotten and changed passwords (G-11, G-12), and verification mails that are asked for again:
/// `postern.gateway.v1.Passwords`.
package struct Passwords: PasswordsService {
    private let resetRequest: RequestPasswordResetFlow
    private let reset: ResetPasswordFlow
    private let change: ChangePasswordFlow
    private let resend: ResendVerificationFlow

    /// The flows, in front of the services.
    package init(
        accounts: any AccountsAPI, credentials: any CredentialsAPI, sessions: any SessionsAPI,
        limits: LimitGuard
    ) {
        resetRequest = RequestPasswordResetFlow(credentials: credentials, limits: limits)
        reset = ResetPasswordFlow(
            credentials: credentials, sessions: sessions, limits: limits)
        change = ChangePasswordFlow(
            accounts: accounts, credentials: credentials, sessions: sessions, limits: limits)
        resend = ResendVerificationFlow(
            credentials: credentials, sessions: sessions, limits: limits)
    }

    /// `RequestPasswordResetFlow`.
    package func requestPasswordReset(
        _ request: GatewayV1.RequestPasswordResetRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPasswordResetResponse {
        try await resetRequest.run(request, context)
    }

    /// `ResetPasswordFlow`.
    package func resetPassword(
        _ request: GatewayV1.ResetPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResetPasswordResponse {
        try await reset.run(request, context)
    }

    /// `ChangePasswordFlow`.
    package func changePassword(
        _ request: GatewayV1.ChangePasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ChangePasswordResponse {
        try await change.run(request, context)
    }

    /// `ResendVerificationFlow`.
    package func resendVerificationEmail(
        _ request: GatewayV1.ResendVerificationEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResendVerificationEmailResponse {
        try await resend.run(request, context)
    }
}
