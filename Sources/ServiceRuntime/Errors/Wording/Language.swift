/// The languages of our texts: mails, messages, pages and errors. To add one: a case here, and its
/// files in `Sources/Texts`. Tests fail if a file is missing.
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    /// With "du", or with "Sie" by the setting `formal-languages`.
    case german = "de"
    /// With "tú", or with "usted" by the setting.
    case spanish = "es"
    /// With "vous".
    case french = "fr"
    /// In the polite form.
    case japanese = "ja"

    /// The language of a BCP 47 tag ("de-CH"), by its primary subtag. Nil for one without texts.
    package init?(tag: some StringProtocol) {
        self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }

    /// Whether it has texts in a formal voice, beside the informal one.
    package var hasFormalVoice: Bool {
        switch self {
        case .german, .spanish: true
        case .english, .french, .japanese: false
        }
    }
}
