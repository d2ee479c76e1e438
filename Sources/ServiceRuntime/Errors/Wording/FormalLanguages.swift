/// The languages whose texts address people formally: "Sie" and "usted" instead of "du" and "tú".
/// The other languages have one voice.
package struct FormalLanguages: Settings, Hashable {
    /// None: all texts are informal.
    package static let none = FormalLanguages(tags: [])
    /// The languages with a formal voice: "de".
    private static let choices = ErrorLanguage.allCases.filter { $0.rawValue != $0.tag }.map(\.tag)

    private let tags: [String]

    private init(tags: [String]) { self.tags = tags }

    package init(reading settings: inout SettingsReader) {
        let names = Self.choices.joined(separator: " or ")
        tags = settings.parsedList(
            "formal-languages", default: [], counts: 0...Self.choices.count,
            expected: "\(names); other languages have no formal voice", unit: "language",
            reason:
                "Texts in these languages say \"Sie\" and \"usted\"; by default \"du\" and \"tú\".",
            parse: { Self.choices.contains($0) ? $0 : nil })
    }

    /// All languages with a formal voice.
    package static let all = FormalLanguages(tags: choices)

    /// Whether texts in a language are formal.
    /// - Parameter tag: As in `ErrorLanguage.tag`.
    package func contains(_ tag: String) -> Bool { tags.contains(tag) }

    /// The voice in which to write to a reader of `language`.
    package func voice(of language: ErrorLanguage) -> ErrorLanguage {
        guard contains(language.tag) else { return language }
        return ErrorLanguage(rawValue: "\(language.tag)-formal") ?? language
    }
}
