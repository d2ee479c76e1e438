import Messages

extension GatewayV1.Consent {
    /// A consent as the identity service has it.
    init(_ consent: IdentityV1.Consent) {
        self.init(
            kind: GatewayV1.ConsentKind(rawValue: consent.kind.rawValue),
            version: consent.version, givenAtMs: consent.givenAtMs, source: consent.source,
            app: consent.app,
            withdrawn: consent.withdrawnAtMs > 0 ? .withdrawnAtMs(consent.withdrawnAtMs) : nil)
    }
}

extension GatewayV1.ConsentOptions {
    /// What the operator asks for.
    init(_ options: IdentityV1.ConsentOptions) {
        self.init(
            mode: GatewayV1.ConsentMode(rawValue: options.mode.rawValue),
            termsVersion: options.termsVersion, privacyVersion: options.privacyVersion,
            termsUrl: options.termsUrl, privacyUrl: options.privacyUrl,
            ageMinimum: options.ageMinimum, parentalConsent: options.parentalConsent)
    }
}

extension GatewayV1.ParentalConsentState {
    /// Where the consent of a parent stands.
    init(_ state: IdentityV1.ParentalConsentState) {
        self.init(rawValue: state.rawValue)
    }
}

extension GatewayV1.PrivacySettings {
    /// An account's privacy settings.
    init(_ privacy: IdentityV1.PrivacySettings) {
        self.init(marketing: privacy.marketing, analytics: privacy.analytics)
    }
}

extension IdentityV1.Acceptance {
    /// What a person has agreed to at a sign-up, as the identity service takes it.
    init(_ acceptance: GatewayV1.Acceptance) {
        self.init(
            termsVersion: acceptance.termsVersion, privacyVersion: acceptance.privacyVersion,
            marketing: acceptance.marketing, analytics: acceptance.analytics,
            birthDate: acceptance.birthDate)
    }
}
