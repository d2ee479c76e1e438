import Texts

/// A language in the voice in which texts address their reader.
package struct Voice: Hashable, CaseIterable, Sendable {
    /// Its language.
    package let language: Language
    /// Whether it says "Sie" or "usted". False for a language that has one voice.
    package let isFormal: Bool

    /// A voice of a language.
    /// - Parameter isFormal: No effect for a language that has one voice.
    package init(_ language: Language, isFormal: Bool = false) {
        self.language = language
        self.isFormal = isFormal && language.hasFormalVoice
    }

    /// The voice of a BCP 47 tag ("de-CH"), by its primary subtag. Nil for a language without
    /// texts. `de-formal` is no registered tag: the gateway replaces the caller's `de` by it
    /// (`FormalLanguages`), also in its calls of other services.
    package init?(tag: some StringProtocol) {
        guard let language = Language(tag: tag) else { return nil }
        let formal = Voice(language, isFormal: true)
        self = tag.lowercased() == formal.tag ? formal : Voice(language)
    }

    /// `de`, or `de-formal`; part of the names of files in `Sources/Texts`.
    package var tag: String { isFormal ? "\(language.rawValue)-formal" : language.rawValue }

    /// English, for readers of a language without texts.
    package static let english = Voice(.english)
    /// All voices of all languages.
    package static let allCases = Language.allCases.flatMap { language in
        [Voice(language)] + (language.hasFormalVoice ? [Voice(language, isFormal: true)] : [])
    }
}

extension Voice {
    /// A sentence of `Sources/Texts/error`.
    /// - Parameter key: An error code, `password/length` and so on; see a file there.
    /// - Returns: the sentence; empty for an unknown key.
    package func sentence(_ key: String) -> String { Self.sentences[self]?[key] ?? "" }

    /// A sentence of `Sources/Texts/export`: of the page in an archive of a person's data (G-21).
    /// - Parameter key: For example `title`, or `file/account.json`; see a file there.
    /// - Returns: the sentence; empty for an unknown key.
    package func exportSentence(_ key: String) -> String { Self.exportSentences[self]?[key] ?? "" }

    /// A sentence of `Sources/Texts/activity`: about what happened with an account (G-22).
    /// - Parameter key: A kind of the audit trail, `sign-in.succeeded`, or one and its variant; see
    ///   a file there.
    /// - Returns: the sentence; empty for an unknown key.
    package func activitySentence(_ key: String) -> String {
        Self.activitySentences[self]?[key] ?? ""
    }

    /// Read once, at the first use, like the next ones.
    private static let sentences = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Texts.lines("error/errors", in: $0.tag)) })
    private static let exportSentences = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Texts.lines("export/index", in: $0.tag)) })
    private static let activitySentences = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Texts.lines("activity/activity", in: $0.tag)) })
}

extension ErrorCode {
    /// The sentence for the user in `voice`. It reveals nothing that only an account's owner may
    /// know.
    package func sentence(in voice: Voice) -> String { voice.sentence(rawValue) }
}

extension ServiceError {
    /// The error with its sentences in `voice`. A sentence that was set for this occurrence stays:
    /// the code that set it already chose the language.
    package func worded(in voice: Voice) -> ServiceError {
        guard voice != .english else { return self }
        var error = self
        error.sentence = sentence ?? catalogueSentence(in: voice)
        for (index, violation) in violations.enumerated() where violation.sentence == nil {
            error.violations[index].sentence = voice.sentence(aboutRule: violation.rule)
        }
        return error
    }
}
