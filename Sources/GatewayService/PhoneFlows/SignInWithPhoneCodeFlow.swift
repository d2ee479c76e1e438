import Contracts
import Messages
import PhoneNumbers
import RPC
import ServiceRuntime

/// G-06: limit → verify the code, find or make the account → take the charge back → open a session.
/// Getting back in is the same.
///
/// A crash between the two leaves an account that can sign in; a retry with the same idempotency key
/// answers both as if nothing had happened (G-25).
struct SignInWithPhoneCodeFlow: Sendable {
    let codes: any PhoneCodesAPI
    let sessions: any SessionsAPI
    let limits: LimitGuard

    /// - Throws: `auth/invalid-phone-number`, `auth/invalid-verification-code`,
    ///   `auth/code-expired`, `auth/too-many-requests`, `auth/second-proof-required`,
    ///   `auth/user-disabled`, `auth/already-signed-in`,
    ///   `auth/operation-not-allowed` where nobody signs in by phone.
    func run(
        _ request: GatewayV1.SignInWithPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithPhoneCodeResponse {
        let onward = try context.onward(for: "SignInWithPhoneCode")
        let origin = try Origin.of(request.device, context)
        let number = try PhoneNumber.required(request.phoneNumber)
        let asking = try await CallerSession(sessions: sessions).token(
            request.accessToken, context)
        let admitted = try await CountedCode(limits: limits).run(
            number, request: request.requestId, device: origin.deviceId,
            language: request.language, context
        ) {
            try await codes.signInWithCode(
                IdentityV1.SignInWithCodeRequest(
                    requestId: request.requestId, phoneNumber: number.text, code: request.code,
                    guestAccessToken: asking, language: request.language,
                    origin: origin), onward)
        }
        let session = try await sessions.open(
            by: admitted.proof, on: request.device, from: origin, onward)
        return GatewayV1.SignInWithPhoneCodeResponse(
            account: admitted.account, session: session,
            isNewUser: admitted.isNewUser, isUpgraded: admitted.isUpgraded,
            collision: admitted.collision, news: admitted.news)
    }
}
