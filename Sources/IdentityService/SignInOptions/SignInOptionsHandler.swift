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
    /// Leaked passwords; nil if new ones are not looked up.
    let breached: BreachedPasswords?
}

extension SignInOptionsHandler {
    /// The sign-in methods that are switched on, the rules for new passwords, what is asked consent
    /// for, the app's name, second factors, passkeys, and what a display name must be (F-01, F-03,
    /// G-23, G-26, G-35). What the app that asks does not have is left out: the gateway says what that
    /// is (G-36). Test numbers, the mode of enumeration and other settings that help an attacker are
    /// left out too.
    func getSignInOptions(
        _ request: GatewayV1.GetSignInOptionsRequest, _ context: CallContext
    ) throws(ServiceError) -> GatewayV1.GetSignInOptionsResponse {
        try context.requireGateway()
        let hidden = context.metadata.appWithout
        var options = GatewayV1.GetSignInOptionsResponse(
            consent: settings.consent.message, appName: settings.appName,
            secondFactors: settings.secondFactors.options,
            displayName: GatewayV1.DisplayNameOptions(
                required: settings.displayName == .required,
                maximum: UInt32(clamping: Applicant.displayNameMax)))
        if settings.passwordSignIn == .on, !hidden.contains(.password) {
            options.password = GatewayV1.PasswordOptions(
                emailVerificationRequired: settings.emailVerification == .required,
                rules: settings.passwordPolicy.requirements(
                    of: settings.passwordRules, in: context.metadata.voice))
        }
        if !hidden.contains(.phone) { options.phone = settings.phone.options }
        if !hidden.contains(.providers) {
            options.providers = settings.providers.providers.map(\.options)
        }
        if !hidden.contains(.passkeys) {
            options.passkeys = settings.passkeyRelyingParty.map { $0.options }
        }
        options.guests = settings.guests == .on && !hidden.contains(.guests)
        options.recoveryMethods = Self.recoveryMethods(
            options, hasReset: !hidden.contains(.reset))
        return options
    }

    /// The ways back in for somebody who has lost one, among the ways in that `options` has. Pure:
    ///
    ///     way                      needs
    ///     a mailed link            passwords, and that the app may request it
    ///     a code by text           codes to phones
    ///     a provider's own page    a provider with such a page
    private static func recoveryMethods(
        _ options: GatewayV1.GetSignInOptionsResponse, hasReset: Bool
    ) -> [GatewayV1.RecoveryMethod] {
        var methods: [GatewayV1.RecoveryMethod] = []
        if options.password != nil, hasReset { methods.append(.emailLink) }
        if options.phone != nil { methods.append(.phoneCode) }
        if options.providers.contains(where: { !$0.recoveryUrl.isEmpty }) {
            methods.append(.provider)
        }
        return methods
    }
}

extension Provider {
    /// What an app needs of it.
    fileprivate var options: GatewayV1.ProviderOptions {
        GatewayV1.ProviderOptions(
            name: name, issuer: issuer, clientIds: audiences.sorted(),
            nonceRequired: noncePolicy == .required, recoveryUrl: recoveryURL)
    }
}

extension SecondFactorSettings {
    /// What an app needs of them; nil if no factor is added.
    fileprivate var options: GatewayV1.SecondFactorOptions? {
        guard mode != .off else { return nil }
        return GatewayV1.SecondFactorOptions(
            required: mode == .required, kinds: [SecondFactorRow.totp])
    }
}

extension PasskeyRelyingParty {
    /// What an app needs of it.
    fileprivate var options: GatewayV1.PasskeyOptions {
        GatewayV1.PasskeyOptions(
            rpId: id.text, origins: origins.map(\.text), relatedOrigins: related.map(\.text))
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
