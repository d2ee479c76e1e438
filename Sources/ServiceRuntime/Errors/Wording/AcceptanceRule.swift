/// What a sign-up needs besides consents (G-23). The raw values are the rules of
/// `auth/consent-required`'s violations, whose sentence replaces the code's.
package enum AcceptanceRule: String, CaseIterable, Sendable {
    /// A birth date, for the age gate.
    case birthDate = "birth-date"

    /// The sentence for the user in `voice`.
    package func sentence(in voice: Voice) -> String {
        voice.sentence("consent/\(rawValue)")
    }
}

extension ServiceError {
    /// `auth/consent-required` for a sign-up without a birth date.
    package static var birthDateRequired: ServiceError {
        var error = ServiceError(.consentRequired)
        error.violations = [
            Violation(field: "acceptance.birth_date", rule: AcceptanceRule.birthDate.rawValue)
        ]
        return error
    }
}
