import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension PhoneCodesHandler {
    /// Sends a code to sign in with (G-06). It does not look up whether the number has an account:
    /// reads, writes, response and text message are the same for all numbers.
    func requestSignInCode(
        _ request: GatewayV1.RequestSignInCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestCodeResponse {
        let requested = try CodeRequest(
            to: request.phoneNumber, for: .signIn, on: request.device, context, settings, keys,
            at: time.now())
        let call = try RepeatableCall(
            PhoneCodesDescription.requestSignInCode, request, context, keys)
        return try await send(requested, for: nil, call)
    }
}
