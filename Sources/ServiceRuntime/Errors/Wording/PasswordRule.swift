/// A requirement on a new password (I-02), checked in Unicode Normalization Form C. The raw values
/// are the rules of `auth/weak-password`'s violations.
package enum PasswordRule: String, CaseIterable, Sendable {
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

    /// The sentence for the user in `voice`.
    package func sentence(in voice: Voice) -> String {
        voice.sentence("password/\(rawValue)")
    }
}
