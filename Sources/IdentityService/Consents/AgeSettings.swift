import ServiceRuntime

/// The operator's settings for the least age of users (G-23).
package struct AgeSettings: Sendable {
    /// Whether a sign-up needs a birth date.
    var gate = Gate.off
    /// The least age in years. What the law of most countries has: COPPA 13, GDPR Article 8 from 13
    /// to 16.
    var minimum = 13
    /// What becomes of the birth date.
    var birthDate = BirthDateMode.check
    /// Whether younger people may sign up with the consent of a parent.
    var parentalConsent = ParentalConsentMode.off
}

extension AgeSettings {
    /// Declares every setting and reads its value.
    init(reading settings: inout SettingsReader) {
        self.init()
        settings.choice(
            "age-gate", &gate,
            reason: "Whether a sign-up needs a birth date, and refuses younger people (G-23).")
        settings.integer(
            "age-minimum", &minimum, in: 1...25, unit: "years",
            reason: "The least age for an account of one's own, with age-gate required (G-23).")
        settings.choice(
            "birth-date", &birthDate,
            reason: "check: a birth date is compared and forgotten; keep: it is stored (G-23).")
        settings.choice(
            "parental-consent", &parentalConsent,
            reason: "Whether younger people may sign up with the consent of a parent (G-23).")
        settings.require(
            gate == .required || parentalConsent == .off, ["parental-consent", "age-gate"],
            "parental-consent needs age-gate required")
        settings.require(
            gate == .required || birthDate == .check, ["birth-date", "age-gate"],
            "birth-date keep needs age-gate required: without it no birth date is read")
    }
}

extension AgeSettings {
    /// Whether a sign-up needs a birth date.
    package enum Gate: String, CaseIterable, Sendable {
        /// It does not; one that is given is ignored.
        case off
        /// It does.
        case required
    }

    /// What becomes of a birth date.
    package enum BirthDateMode: String, CaseIterable, Sendable {
        /// It is compared and forgotten.
        case check
        /// It is stored, sealed under the account's key.
        case keep
    }

    /// Whether younger people may sign up with the consent of a parent.
    package enum ParentalConsentMode: String, CaseIterable, Sendable {
        /// They are refused.
        case off
        /// They may; without the consent the account is deleted.
        case allowed
    }
}
