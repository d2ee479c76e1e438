import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension PhoneSignInHandler {
    /// G-14: identify the caller's account → charge the limits → verify the code and add the number →
    /// refund the charge for the code. The identity service asks the session service who the caller
    /// is and whether it has given a recent proof.
    func linkPhone(
        _ request: GatewayV1.LinkPhoneRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkPhoneResponse {
        let onward = try context.onward(for: PhoneSignInDescription.linkPhone)
        let device = try request.device.requiredID()
        let number = try PhoneNumber.required(request.phoneNumber)
        let account = try await tokens.requiredAccount(context)
        // Each refusal is written to the audit trail, and a right code is not used up by it.
        return try await limits.charging(.documentWrite(account: account), context) {
            try await limits.countingPhoneCode(
                number, request: request.requestId, device: device, context
            ) { _ in
                try await codes.linkPhone(request, onward)
            }
        }.answer
    }
}
