import Addresses
import Messages
import RPC
import ServiceRuntime

extension SignInSettingsHandler {
    /// The sign-in methods that are switched on, the rules for new passwords, and what is asked
    /// consent for (G-23, G-26). Test numbers, the mode of enumeration and other settings that help
    /// an attacker are left out.
    func getSignInSettings(
        _ request: IdentityV1.GetSignInSettingsRequest, _ context: CallContext
    ) -> IdentityV1.GetSignInSettingsResponse {
        let countries: [String] =
            if case .some(let countries) = settings.phone.countries {
                countries.map(\.code).sorted()
            } else {
                []
            }
        return IdentityV1.GetSignInSettingsResponse(
            emailVerificationRequired: settings.emailVerification == .required,
            passwordRules: settings.passwordPolicy.requirements(
                in: Voice(tag: request.language) ?? .english),
            allPhoneCountries: settings.phone.countries == .all, phoneCountries: countries,
            providers: settings.providers.providers.map { provider in
                GatewayV1.ProviderOptions(
                    name: provider.name, issuer: provider.issuer,
                    clientIds: provider.audiences.sorted(),
                    nonceRequired: provider.noncePolicy == .required)
            }, consent: settings.consent.message)
    }
}
