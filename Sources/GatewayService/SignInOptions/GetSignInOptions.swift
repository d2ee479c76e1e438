import Contracts
import Messages
import RPC
import ServiceRuntime

extension SignInOptionsHandler {
    /// G-26: the operator's settings that a screen needs, from the identity service. Passwords and
    /// guests cannot be switched off, and a mailed link is the only way to recover a password.
    /// - Throws: the errors of the identity service, for example `rpc/unavailable`.
    func getSignInOptions(
        _ request: GatewayV1.GetSignInOptionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetSignInOptionsResponse {
        let answer = try await settings.getSignInSettings(
            IdentityV1.GetSignInSettingsRequest(language: context.metadata.voice.tag),
            context.onward())
        let hasPhone = answer.allPhoneCountries || !answer.phoneCountries.isEmpty
        return GatewayV1.GetSignInOptionsResponse(
            password: GatewayV1.PasswordOptions(
                emailVerificationRequired: answer.emailVerificationRequired,
                rules: answer.passwordRules),
            phone: hasPhone
                ? GatewayV1.PhoneOptions(
                    allCountries: answer.allPhoneCountries, countries: answer.phoneCountries)
                : nil,
            providers: answer.providers, guests: true, recoveryMethods: [.emailLink],
            consent: answer.consent)
    }
}
