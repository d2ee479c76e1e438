/// A requirement on a phone number (I-05) beyond its form and its country code. The raw values are
/// the rules of `auth/invalid-phone-number`'s violations.
package enum PhoneNumberRule: String, CaseIterable, Sendable {
    /// No prefix of calls within the country, such as the 0 of `+49 0151`: it would make a second
    /// number of one phone.
    case trunkPrefix = "trunk-prefix"
    /// As many digits as some number of its country has.
    case digitCount = "digit-count"
    /// Not a premium-rate, shared-cost or voicemail number.
    case numberKind = "number-kind"

    /// The sentence for the user in `voice`.
    package func sentence(in voice: Voice) -> String {
        voice.sentence("phone/\(rawValue)")
    }
}
