/// The languages that the catalogue's sentences are told in. To add one: a case here, and a
/// file of its sentences beside this one, which must have all of them to compile.
package enum ErrorLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case japanese = "ja"

    /// The language of a BCP 47 tag ("de-CH"), by its first part; nil for one that is not in the
    /// table.
    package init?(tag: some StringProtocol) {
        self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }
}

extension ErrorCode {
    /// What a person reads in `language`. English stands in the catalogue itself.
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
    /// The error in `language`. A sentence that says more of this occasion than the catalogue does
    /// stays as it is: whoever wrote it knew the language.
    package func worded(in language: ErrorLanguage) -> ServiceError {
        guard sentence == nil, language != .english else { return self }
        var error = self
        error.sentence = code.sentence(in: language)
        return error
    }
}
