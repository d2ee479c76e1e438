/// What a limited user waits for; selects the sentence.
enum LimitWording: CaseIterable, Sendable {
    /// Another code by message.
    case code
    /// Another guess at a code: too many were wrong.
    case wrongCode
    /// Another guess at a password, when only a new password helps.
    case password
    /// Another mail.
    case mail
    /// Another change.
    case change
    /// Another attempt of any other kind.
    case attempt
}

/// The languages of the sentences.
enum LimitLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case japanese = "ja"

    /// The language of a BCP 47 tag, by its first part; English for any other.
    init(tag: String) {
        let primary = tag.prefix(3).prefix { $0 != "-" && $0 != "_" }.lowercased()
        self = Self(rawValue: primary) ?? .english
    }
}
