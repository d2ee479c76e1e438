/// What a limited user waits for; selects the sentence of `Sources/Texts/error`.
package enum LimitWording: String, CaseIterable, Sendable {
    /// Another code by message.
    case code
    /// Another guess at a code: too many were wrong.
    case wrongCode = "wrong-code"
    /// Another guess at a password, when only a new password helps.
    case password
    /// Another mail.
    case mail
    /// Another change.
    case change
    /// Another attempt of any other kind.
    case attempt
}
