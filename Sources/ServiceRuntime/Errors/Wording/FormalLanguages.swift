/// The languages whose texts address people formally: "Sie" and "usted" instead of "du" and "tú".
/// The other languages have one voice.
package struct FormalLanguages: Settings, Hashable {
    /// None: all texts are informal.
    package static let none = FormalLanguages(languages: [])
    /// All languages with a formal voice.
    package static let all = FormalLanguages(languages: Language.allCases.filter(\.hasFormalVoice))

    private let languages: [Language]

    private init(languages: [Language]) { self.languages = languages }

    package init(reading settings: inout SettingsReader) {
        let choices = Self.all.languages
        let names = choices.map(\.rawValue).joined(separator: " or ")
        var tags: [String] = []
        settings.parsedList(
            "formal-languages", &tags, counts: 0...choices.count,
            expected: "\(names); other languages have no formal voice", unit: "language",
            reason:
                "Texts in these languages say \"Sie\" and \"usted\"; by default \"du\" and \"tú\".",
            parse: { tag in choices.contains { $0.rawValue == tag } ? tag : nil })
        languages = choices.filter { tags.contains($0.rawValue) }
    }

    /// Whether texts in a language are formal.
    package func contains(_ language: Language) -> Bool { languages.contains(language) }

    /// The voice in which to write to a reader of `language`.
    package func voice(of language: Language) -> Voice {
        Voice(language, isFormal: contains(language))
    }
}
