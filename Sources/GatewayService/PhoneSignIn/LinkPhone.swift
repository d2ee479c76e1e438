import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension PhoneSignInHandler {
    /// G-14: identify the caller's account → charge the limits → verify the code and add the number →
    /// refund the charge for the code. The identity service asks the session service who the caller
    /// is and whether it has given a recent proof.
    /// - Throws: `auth/invalid-phone-number`, `auth/invalid-verification-code`,
    ///   `auth/code-expired`, `auth/too-many-requests`, `auth/credential-already-in-use`,
    ///   `auth/provider-already-linked`, `auth/requires-recent-login`, `auth/invalid-access-token`,
    ///   `rpc/invalid-argument`; `auth/operation-not-allowed` where sign-in by phone is not
    ///   configured.
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
            ) {
                try await codes.linkPhone(request, onward)
            }
        }.answer
    }
}
