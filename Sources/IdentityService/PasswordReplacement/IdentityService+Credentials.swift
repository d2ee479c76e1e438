import Contracts
package import Messages
package import RPC

/// `postern.identity.v1.Credentials`: password reset and change, and repeated verification mails.
extension IdentityService: CredentialsService {
    /// Mails a link for setting a new password (G-11).
    /// - Throws: as `ResetRequest.run`.
    package func requestPasswordReset(
        _ request: IdentityV1.RequestPasswordResetRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestPasswordResetResponse {
        try await ResetRequest(parts: parts).run(request, context)
    }

    /// Sets a new password with that link (G-11).
    /// - Throws: as `PasswordReset.run`.
    package func resetPassword(
        _ request: IdentityV1.ResetPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResetPasswordResponse {
        try await PasswordReset(parts: parts).run(request, context)
    }

    /// Replaces the password of a caller who enters the current one (G-12).
    /// - Throws: as `PasswordChange.run`.
    package func changePassword(
        _ request: IdentityV1.ChangePasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ChangePasswordResponse {
        try await PasswordChange(parts: parts).run(request, context)
    }

    /// Mails another verification link (G-12).
    /// - Throws: as `VerificationResend.run`.
    package func resendVerification(
        _ request: IdentityV1.ResendVerificationRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResendVerificationResponse {
        try await VerificationResend(parts: parts).run(request, context)
    }
}
