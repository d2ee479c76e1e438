package import Contracts
package import Messages
package import RPC

/// The address of an account, and its verification without a session (G-02, G-12):
/// `postern.gateway.v1.Emails`.
package struct Emails: EmailsService {
    private let request: RequestEmailChangeFlow
    private let confirm: ConfirmEmailChangeFlow
    private let cancel: CancelEmailChangeFlow
    private let resend: ResendByPasswordFlow

    /// The flows, in front of the services.
    package init(
        changes: any EmailChangesAPI, sessions: any SessionsAPI, limits: LimitGuard
    ) {
        request = RequestEmailChangeFlow(changes: changes, sessions: sessions, limits: limits)
        confirm = ConfirmEmailChangeFlow(changes: changes, limits: limits)
        cancel = CancelEmailChangeFlow(changes: changes)
        resend = ResendByPasswordFlow(changes: changes, limits: limits)
    }

    /// `RequestEmailChangeFlow`.
    package func requestEmailChange(
        _ request: GatewayV1.RequestEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestEmailChangeResponse {
        try await self.request.run(request, context)
    }

    /// `ConfirmEmailChangeFlow`.
    package func confirmEmailChange(
        _ request: GatewayV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ConfirmEmailChangeResponse {
        try await confirm.run(request, context)
    }

    /// `CancelEmailChangeFlow`.
    package func cancelEmailChange(
        _ request: GatewayV1.CancelEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.CancelEmailChangeResponse {
        try await cancel.run(request, context)
    }

    /// `ResendByPasswordFlow`.
    package func resendVerificationByPassword(
        _ request: GatewayV1.ResendVerificationByPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResendVerificationByPasswordResponse {
        try await resend.run(request, context)
    }
}
