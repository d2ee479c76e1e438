import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.SecondFactors`: the second factors of an account (F-03, F-04). Identity serves
/// all but `confirmTOTP`.
struct SecondFactorsHandler: SecondFactorsService {
    let proofs: any SecondProofsAPI
    let devices: any DevicesAPI
    let tokens: TokenAccounts
    let limits: RateLimiter
}

extension SecondFactorsHandler {
    /// F-03: identify the caller's account → charge the limit → have the code compared and the app
    /// added → record the proof in the session, whose new access token is of aal2 → record the device
    /// as known for codes of authenticator apps.
    ///
    /// The code is no guess: the caller has the secret. So it counts as a write of documents, as other
    /// changes of how an account is signed in to.
    ///
    /// A crash before the proof is recorded leaves an account with the factor. A retry with the same
    /// idempotency key gets the factor and the token, and no recovery codes (G-25).
    func confirmTOTP(
        _ request: GatewayV1.ConfirmTOTPRequest, _ context: CallContext
    ) async throws -> GatewayV1.ConfirmTOTPResponse {
        let onward = try context.onward(for: SecondFactorsDescription.confirmTOTP)
        let device = try request.device.requiredID()
        let account = try await tokens.requiredAccount(context)
        let confirmed = try await limits.charging(.documentWrite(account: account), context) {
            try await proofs.confirmTOTP(request, onward)
        }.answer
        let answer = try await devices.reauthenticate(
            SessionV1.ReauthenticateRequest(proof: confirmed.proof, device: request.device), onward)
        await limits.rememberFactor(of: account, after: .session, on: device, context)
        return GatewayV1.ConfirmTOTPResponse(
            factor: confirmed.factor, accessToken: answer.accessToken,
            accessExpiresAtMs: answer.accessExpiresAtMs, recoveryCodes: confirmed.recoveryCodes)
    }
}
