import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension PhoneSignInHandler {
    /// G-06: charge the limit → verify the code, find or create the account → refund the charge →
    /// open a session. Account recovery by phone is the same flow.
    ///
    /// A crash between account and session leaves an account that can sign in. A retry with the
    /// same idempotency key then returns the same account and opens the session (G-25).
    func signInWithPhoneCode(
        _ request: GatewayV1.SignInWithPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithPhoneCodeResponse {
        let onward = try context.onward(for: PhoneSignInDescription.signInWithPhoneCode)
        let device = try request.device.requiredID()
        let number = try PhoneNumber.required(request.phoneNumber)
        let signedIn = try await limits.countingPhoneCode(
            number, request: request.requestId, device: device, context,
            signedIn: { $0.account }
        ) { charge in
            try await codes.signInWithCode(request, onward.charged(charge))
        }
        let session = try await sessions.open(by: signedIn.proof, on: request.device, onward)
        return GatewayV1.SignInWithPhoneCodeResponse(
            account: signedIn.account, session: session,
            isNewUser: signedIn.isNewUser, isUpgraded: signedIn.isUpgraded,
            collision: signedIn.collision,
            history: signedIn.history.map(GatewayV1.SignInHistory.init),
            requiredActions: signedIn.requiredActions)
    }
}
