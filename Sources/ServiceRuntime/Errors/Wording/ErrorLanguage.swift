/// The languages of the catalogue's sentences. To add one: a case here, and a file with its
/// sentences beside this one. The compiler checks that the file has all of them.
package enum ErrorLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case japanese = "ja"

    /// The language of a BCP 47 tag ("de-CH"), by its primary subtag. Nil for a language that is
    /// not in the table.
    package init?(tag: some StringProtocol) {
        self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }
}

extension ErrorCode {
    /// The sentence for the user in `language`. The catalogue itself holds the English one.
    package func sentence(in language: ErrorLanguage) -> String {
        switch language {
        case .english: entry.sentence
        case .german: german
        case .spanish: spanish
        case .french: french
        case .japanese: japanese
        }
    }
}

extension ServiceError {
    /// The error with its sentence in `language`. A sentence that was set for this occurrence
    /// stays: the code that set it already chose the language.
    package func worded(in language: ErrorLanguage) -> ServiceError {
        guard sentence == nil, language != .english else { return self }
        var error = self
        error.sentence = code.sentence(in: language)
        return error
    }
}
