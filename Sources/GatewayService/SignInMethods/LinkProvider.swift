import Contracts
import Messages
import RPC
import ServiceRuntime

extension SignInMethodsHandler {
    /// G-14: identify the caller's account → charge the limits → have the token verified and linked
    /// → refund the charge for the token. The identity service requires a recent proof, by the
    /// session's own token.
    func linkProvider(
        _ request: GatewayV1.LinkProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkProviderResponse {
        let onward = try context.onward(for: SignInMethodsDescription.linkProvider)
        let device = try request.device.requiredID()
        let account = try await tokens.requiredAccount(context)
        // Each refusal is written to the audit trail, and a valid token is not used up by it.
        return try await limits.charging(.documentWrite(account: account), context) {
            try await limits.countingProviderToken(
                .providerProof(
                    account: account, device: device, caller: LimitedCaller(context)), context
            ) { _ in
                try await identities.linkProvider(request, onward)
            }
        }.answer
    }
}
