/// What a person waits for, and so what he is told.
enum LimitWording: CaseIterable, Sendable {
    /// Another code by message.
    case code
    /// Another guess at a code: it was wrong too often.
    case wrongCode
    /// Another guess at a password, where only a new one helps.
    case password
    /// Another mail.
    case mail
    /// Another change.
    case change
    /// Another attempt, at whatever it was.
    case attempt
}

/// The languages that people are told in.
enum LimitLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case japanese = "ja"

    /// The language of a BCP 47 tag, by its first part; English for what is not in the table.
    init(tag: String) {
        let primary = tag.prefix(3).prefix { $0 != "-" && $0 != "_" }.lowercased()
        self = Self(rawValue: primary) ?? .english
    }
}
