import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.SignInOptions`: what a sign-in screen shows before anybody has typed, and
/// the rules of a new password while it is typed (G-26). Neither rpc reads the store, so neither
/// can reveal an account.
struct SignInOptionsHandler: SignInOptionsService {
    let settings: IdentitySettings
}

extension SignInOptionsHandler {
    /// The sign-in methods that are switched on, the rules for new passwords, what is asked consent
    /// for, and the app's name (G-23, G-26). Passwords and guests cannot be switched off, and a
    /// mailed link is the only way to recover a password. Test numbers, the mode of enumeration and
    /// other settings that help an attacker are left out.
    func getSignInOptions(
        _ request: GatewayV1.GetSignInOptionsRequest, _ context: CallContext
    ) throws(ServiceError) -> GatewayV1.GetSignInOptionsResponse {
        try context.requireGateway()
        return GatewayV1.GetSignInOptionsResponse(
            password: GatewayV1.PasswordOptions(
                emailVerificationRequired: settings.emailVerification == .required,
                rules: settings.passwordPolicy.requirements(in: context.metadata.voice)),
            phone: settings.phone.options,
            providers: settings.providers.providers.map { provider in
                GatewayV1.ProviderOptions(
                    name: provider.name, issuer: provider.issuer,
                    clientIds: provider.audiences.sorted(),
                    nonceRequired: provider.noncePolicy == .required)
            }, guests: true, recoveryMethods: [.emailLink], consent: settings.consent.message,
            appName: settings.appName)
    }
}

extension PhoneSettings {
    /// What an app needs of them; nil if sign-in by phone is switched off.
    fileprivate var options: GatewayV1.PhoneOptions? {
        switch countries {
        case .none: nil
        case .some(let some): GatewayV1.PhoneOptions(countries: some.map(\.code).sorted())
        case .all: GatewayV1.PhoneOptions(allCountries: true)
        }
    }
}
