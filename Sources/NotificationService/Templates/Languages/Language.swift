/// The languages of our texts. To add one: a case, its `Words`, and its text in each
/// wording. The compiler reports what is missing.
package enum Language: String, CaseIterable, Sendable {
    /// English.
    case english = "en"
    /// German; addresses readers with "du", as apps do.
    case german = "de"
    /// Spanish; addresses readers with "tú".
    case spanish = "es"
    /// French; addresses readers with "vous".
    case french = "fr"
    /// Japanese, in the polite form.
    case japanese = "ja"

    /// The language for a reader with the language tag `tag`.
    ///
    /// Look-up as in RFC 4647, 3.4: the tag, shortened subtag by subtag from its end (`de-Latn-AT`,
    /// `de-Latn`, `de`), then the default.
    /// - Parameters:
    ///   - tag: BCP 47, in any case; may be empty.
    ///   - standard: the operator's default.
    package init(for tag: String, default standard: Language) {
        var parts = tag.lowercased().split(separator: "-")
        while !parts.isEmpty {
            if let language = Language(rawValue: parts.joined(separator: "-")) {
                self = language
                return
            }
            parts.removeLast()
            // A single letter starts an extension and is meaningless without what follows.
            if parts.last?.utf8.count == 1 { parts.removeLast() }
        }
        self = standard
    }

    /// The `dir` attribute in HTML: all languages are written from left to right.
    var direction: String { "ltr" }
}
