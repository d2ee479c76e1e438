import Contracts
import Messages
import RPC
import ServiceRuntime

extension PhoneSignInHandler {
    /// G-13, G-14: read the caller's session → as `requestSignInCode`. Identity checks that a code
    /// to prove goes to the account's own number, and that one to link is requested with a recent
    /// proof.
    /// - Throws: as `requestSignInCode`; `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/no-such-provider`, `auth/requires-recent-login`, and `rpc/invalid-argument` without a
    ///   purpose.
    func requestPhoneCode(
        _ request: GatewayV1.RequestPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPhoneCodeResponse {
        let onward = try context.onward(for: "RequestPhoneCode")
        let origin = try Origin.of(request.device, context)
        let purpose: IdentityV1.PhoneCodePurpose =
            switch request.purpose {
            case .link: .link
            case .reauthenticate: .prove
            case .unspecified, .unrecognized:
                throw ServiceError(.invalidArgument, fields: ["purpose"])
            }
        let session = try await sessions.requiredSession(context)
        return try await send(
            IdentityV1.RequestCodeRequest(
                phoneNumber: request.phoneNumber, purpose: purpose,
                origin: origin, accessToken: session.accessToken),
            context, onward)
    }
}
