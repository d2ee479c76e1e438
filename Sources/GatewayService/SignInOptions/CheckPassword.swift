import Contracts
import Messages
import RPC
import ServiceRuntime

extension SignInOptionsHandler {
    /// G-26: charge the limit → have the identity service apply its rules. The email is only text
    /// for the rule "context": it is not looked up, so the response is the same whether or not an
    /// account has it.
    /// - Throws: `auth/too-many-requests`, `rpc/invalid-argument`.
    func checkPassword(
        _ request: GatewayV1.CheckPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckPasswordResponse {
        let (answer, _) = try await limits.charging(
            .passwordCheck(caller: LimitedCaller(context)), context
        ) {
            try await settings.checkPassword(
                IdentityV1.CheckPasswordRequest(
                    password: request.password, email: request.email,
                    displayName: request.displayName, language: context.metadata.voice.tag),
                context.onward())
        }
        return GatewayV1.CheckPasswordResponse(rules: answer.rules, strength: answer.strength)
    }
}
