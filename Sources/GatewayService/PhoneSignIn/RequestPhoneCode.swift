import Contracts
import Messages
import RPC
import ServiceRuntime

extension PhoneSignInHandler {
    /// G-13, G-14: as `requestSignInCode`, for a caller with a session. Identity checks that a code
    /// to prove goes to the account's own number, and that one to link is requested with a recent
    /// proof.
    func requestPhoneCode(
        _ request: GatewayV1.RequestPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPhoneCodeResponse {
        let onward = try context.onward(for: PhoneSignInDescription.requestPhoneCode)
        _ = try await tokens.requiredAccount(context)
        return try await sending(
            to: request.phoneNumber, from: request.device, context, onward
        ) {
            try await codes.requestPhoneCode(request, onward)
        }
    }
}
