import Contracts
import Messages
import RPC
import ServiceRuntime

extension PhoneSignInHandler {
    /// G-06: charge the limit → have a code sent → return when the next one may be requested
    ///
    func requestSignInCode(
        _ request: GatewayV1.RequestSignInCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestSignInCodeResponse {
        let onward = try context.onward(for: PhoneSignInDescription.requestSignInCode)
        let sent = try await sending(
            to: request.phoneNumber, from: request.device, context, onward
        ) {
            try await codes.requestSignInCode(request, onward)
        }
        return GatewayV1.RequestSignInCodeResponse(
            requestId: sent.requestId, expiresAtMs: sent.expiresAtMs, attempt: sent.attempt,
            nextAfterMs: sent.nextAfterMs)
    }
}
