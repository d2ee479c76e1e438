/// The text messages that can be sent. To add one: a case, its variables and lane, its
/// text in `Sources/Texts/sms`. A text with a code fits into one segment: 160 characters of GSM
/// 03.38, or 70 if one character is not in it, which is why the Spanish one avoids "código".
package enum SMSTemplate: String, MessageTemplate {
    /// A code to sign in with or to reauthenticate (G-06, N-02).
    case phoneCode = "phone-code"

    /// The variables that a request must have.
    package var variables: [TemplateVariable] {
        switch self {
        case .phoneCode: [.code, .minutes]
        }
    }

    /// The template's priority class (N-06).
    package var lane: Lane {
        switch self {
        case .phoneCode: .requested
        }
    }
}
