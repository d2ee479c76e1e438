import Contracts
package import Messages
package import RPC

/// Changes of an account's address, and verification without a session (G-02, G-12):
/// `postern.identity.v1.EmailChanges`.
package struct EmailChanges: EmailChangesService {
    private let parts: IdentityParts
    private let owners: SessionOwners

    /// The rpcs of `service`'s store.
    package init(of service: IdentityService) {
        parts = service.parts
        owners = service.owners
    }

    /// `EmailChangeRequest`.
    package func requestEmailChange(
        _ request: IdentityV1.RequestEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestEmailChangeResponse {
        try await EmailChangeRequest(parts: parts, owners: owners).run(request, context)
    }

    /// `EmailChangeConfirmation`.
    package func confirmEmailChange(
        _ request: IdentityV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.ConfirmEmailChangeResponse {
        try await EmailChangeConfirmation(parts: parts, owners: owners).run(request, context)
    }

    /// `EmailChangeCancelling`.
    package func cancelEmailChange(
        _ request: IdentityV1.CancelEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.CancelEmailChangeResponse {
        try await EmailChangeCancelling(parts: parts, owners: owners).run(request, context)
    }

    /// `PasswordedResend`.
    package func resendVerificationByPassword(
        _ request: IdentityV1.ResendVerificationByPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResendVerificationByPasswordResponse {
        try await PasswordedResend(parts: parts).run(request, context)
    }
}
