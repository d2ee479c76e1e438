import Contracts
package import Messages
package import RPC

/// Email changes, and resending verification mails without a session (G-02, G-12):
/// `postern.identity.v1.EmailChanges`.
package struct EmailChanges: EmailChangesService {
    private let parts: IdentityParts
    private let owners: SessionOwners

    /// Serves these rpcs over the store of `service`.
    package init(of service: IdentityService) {
        parts = service.parts
        owners = service.owners
    }

    /// Requests an email change.
    /// - Throws: as `EmailChangeRequest.run`.
    package func requestEmailChange(
        _ request: IdentityV1.RequestEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestEmailChangeResponse {
        try await EmailChangeRequest(parts: parts, owners: owners).run(request, context)
    }

    /// Confirms an email change by its mailed link.
    /// - Throws: as `EmailChangeConfirmation.run`.
    package func confirmEmailChange(
        _ request: IdentityV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.ConfirmEmailChangeResponse {
        try await EmailChangeConfirmation(parts: parts, owners: owners).run(request, context)
    }

    /// Cancels the pending email change.
    /// - Throws: as `EmailChangeCancelling.run`.
    package func cancelEmailChange(
        _ request: IdentityV1.CancelEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.CancelEmailChangeResponse {
        try await EmailChangeCancelling(parts: parts, owners: owners).run(request, context)
    }

    /// Resends the verification mail to a caller who has the password.
    /// - Throws: as `PasswordedResend.run`.
    package func resendVerificationByPassword(
        _ request: IdentityV1.ResendVerificationByPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResendVerificationByPasswordResponse {
        try await PasswordedResend(parts: parts).run(request, context)
    }
}
