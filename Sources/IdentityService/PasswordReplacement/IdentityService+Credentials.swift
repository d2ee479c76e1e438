import Contracts
package import Messages
package import RPC

/// `postern.identity.v1.Credentials`: passwords that change hands, and links that are asked for
/// again.
extension IdentityService: CredentialsService {
    /// Mails a link to set a new password (G-11).
    package func requestPasswordReset(
        _ request: IdentityV1.RequestPasswordResetRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestPasswordResetResponse {
        try await ResetRequest(parts: parts).run(request, context)
    }

    /// Sets a new password by that link (G-11).
    package func resetPassword(
        _ request: IdentityV1.ResetPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResetPasswordResponse {
        try await PasswordReset(parts: parts).run(request, context)
    }

    /// Replaces the password of who knows it (G-12).
    package func changePassword(
        _ request: IdentityV1.ChangePasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ChangePasswordResponse {
        try await PasswordChange(parts: parts).run(request, context)
    }

    /// Mails another verification link (G-12).
    package func resendVerification(
        _ request: IdentityV1.ResendVerificationRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResendVerificationResponse {
        try await VerificationResend(parts: parts).run(request, context)
    }
}
