/// A requirement, or a reason, that a violation names. A type has those of one error code, and no
/// two rules have one name.
package protocol WordedRule: CaseIterable, Sendable {
    /// The part of `Sources/Texts/error` with its sentences: `password` for `password/length`.
    static var section: String { get }
    /// The rule's name in a violation: the raw value, where that is a text.
    var rule: String { get }
}

extension WordedRule where Self: RawRepresentable, RawValue == String {
    package var rule: String { rawValue }
}

extension WordedRule {
    /// The sentence for the user in `voice`.
    package func sentence(in voice: Voice) -> String {
        voice.sentence("\(Self.section)/\(rule)")
    }

    /// The rules' names, each with the key of its sentence.
    fileprivate static var sentenceKeys: [(String, String)] {
        allCases.map { ($0.rule, "\(section)/\($0.rule)") }
    }
}

extension Voice {
    private static let rules: [any WordedRule.Type] = [
        PasswordRule.self, PhoneNumberRule.self, DocumentViolation.self, PhotoRule.self,
        EndReason.self, AcceptanceRule.self, EmailRule.self,
    ]

    /// The keys of the sentences, by the rules' names. Built once, at the first use.
    private static let sentenceKeys = Dictionary(
        rules.flatMap { $0.sentenceKeys }, uniquingKeysWith: { first, _ in first })

    /// The sentence about a violation's rule. Nil for one without.
    package func sentence(aboutRule rule: String) -> String? {
        Self.sentenceKeys[rule].map { sentence($0) }
    }
}

/// A requirement on a new password (I-02), checked in Unicode Normalization Form C. The raw values
/// are the rules of `auth/weak-password`'s violations.
package enum PasswordRule: String, WordedRule {
    /// A length within the policy's range.
    case length
    /// An upper-case letter, of any script.
    case upperCase = "upper-case"
    /// A lower-case letter, of any script.
    case lowerCase = "lower-case"
    /// A letter, of any script.
    case letter
    /// A decimal digit.
    case digit
    /// Not a common password.
    case common
    /// Not made of the owner's address or name, or of the app's name.
    case context
    /// Not among leaked passwords, where the operator has them looked up.
    case breached

    package static var section: String { "password" }
}

extension PasswordRule {
    /// What the rule requires, for people who have not typed a password yet. Most sentences of
    /// `auth/weak-password` say that already; three speak of the password that was refused.
    /// - Parameter codePoints: The bounds of `length`.
    package func requirement(in voice: Voice, _ codePoints: ClosedRange<Int>) -> String {
        switch self {
        case .length:
            voice.sentence("password-needs/length")
                .replacing("{{minimum}}", with: "\(codePoints.lowerBound)")
                .replacing("{{maximum}}", with: "\(codePoints.upperBound)")
        case .common: voice.sentence("password-needs/common")
        case .breached: voice.sentence("password-needs/breached")
        case .upperCase, .lowerCase, .letter, .digit, .context: sentence(in: voice)
        }
    }
}

/// A requirement on a phone number (I-05) beyond its form and its country code. The raw values are
/// the rules of `auth/invalid-phone-number`'s violations.
package enum PhoneNumberRule: String, WordedRule {
    /// No prefix of calls within the country, such as the 0 of `+49 0151`: it would make a second
    /// number of one phone.
    case trunkPrefix = "trunk-prefix"
    /// As many digits as some number of its country has.
    case digitCount = "digit-count"
    /// Not a premium-rate, shared-cost or voicemail number.
    case numberKind = "number-kind"

    package static var section: String { "phone" }
}

/// The rule of a document that a violation names (I-07); each case says what the rule requires. The
/// raw values are the rules of `auth/invalid-document`'s violations.
package enum DocumentViolation: String, WordedRule {
    /// The document is a JSON object within the limits of size and depth.
    case json
    /// The field is there.
    case required
    /// Its value has the declared type.
    case type
    /// A number is within its range.
    case range
    /// A text, or a list, has a length within its range.
    case textLength = "text-length"
    /// A text matches its pattern.
    case pattern
    /// The value is one of those that are allowed.
    case enumeration
    /// The field is one that the collection declares.
    case unknownField = "unknown-field"
    /// The field cannot be changed once it has a value.
    case readOnly = "read-only"
    /// Only the app's own backend can write the field.
    case serverOnly = "server-only"

    package static var section: String { "document" }
}

/// A requirement on a photo (G-17). The raw values are the rules of `auth/invalid-photo`'s
/// violations.
package enum PhotoRule: String, WordedRule {
    /// At most 5 MiB; of a guest, the setting `guest-photo-bytes-max`.
    case photoBytes = "photo-bytes"
    /// JPEG, PNG or WebP, by its content.
    case photoFormat = "photo-format"
    /// At most 8192 by 8192 pixels.
    case photoPixels = "photo-pixels"

    package static var section: String { "photo" }
}

extension ServiceError {
    /// The catalogue's sentence for the user in `voice`; for a session that has ended, the one
    /// about the reason, for a birth date that is missing, the one that asks for it, and for an
    /// address that breaks a rule, the one about that.
    package func catalogueSentence(in voice: Voice) -> String {
        let isByRule = [.sessionEnded, .consentRequired, .invalidEmail].contains(code)
        let sentences = violations.lazy.compactMap { voice.sentence(aboutRule: $0.rule) }
        return isByRule ? sentences.first ?? code.sentence(in: voice) : code.sentence(in: voice)
    }
}

/// What a sign-up needs besides consents (G-23). The raw values are the rules of
/// `auth/consent-required`'s violations, whose sentence replaces the code's.
package enum AcceptanceRule: String, WordedRule {
    /// A birth date, for the age gate.
    case birthDate = "birth-date"

    package static var section: String { "consent" }
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

/// A requirement on an email address (G-12) beyond its form. The raw values are the rules of
/// `auth/invalid-email`'s violations, whose sentence replaces the code's.
package enum EmailRule: String, WordedRule {
    /// Another address than the account's own, which its owner knows.
    case ownAddress = "own-address"

    package static var section: String { "email" }
}

extension ServiceError {
    /// `auth/invalid-email`: the address in `field` is the account's own.
    package static func ownAddress(field: String) -> ServiceError {
        var error = ServiceError(.invalidEmail)
        error.violations = [Violation(field: field, rule: EmailRule.ownAddress.rawValue)]
        return error
    }
}
