package import Contracts
package import Messages
package import RPC

/// Codes to phones (G-06, G-14): `postern.gateway.v1.PhoneSignIn`.
package struct PhoneSignIn: PhoneSignInService {
    private let request: RequestPhoneCodeFlow
    private let signIn: SignInWithPhoneCodeFlow
    private let link: LinkPhoneFlow

    /// The flows, in front of the services.
    package init(codes: any PhoneCodesAPI, sessions: any SessionsAPI, limits: LimitGuard) {
        request = RequestPhoneCodeFlow(codes: codes, limits: limits)
        signIn = SignInWithPhoneCodeFlow(codes: codes, sessions: sessions, limits: limits)
        link = LinkPhoneFlow(codes: codes, limits: limits)
    }

    /// `RequestPhoneCodeFlow`.
    package func requestPhoneCode(
        _ request: GatewayV1.RequestPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPhoneCodeResponse {
        try await self.request.run(request, context)
    }

    /// `SignInWithPhoneCodeFlow`.
    package func signInWithPhoneCode(
        _ request: GatewayV1.SignInWithPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithPhoneCodeResponse {
        try await signIn.run(request, context)
    }

    /// `LinkPhoneFlow`.
    package func linkPhone(
        _ request: GatewayV1.LinkPhoneRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkPhoneResponse {
        try await link.run(request, context)
    }
}
