/// The languages that we write in. To add one: a case, its `LanguageWords`, and its words in each
/// file of `Wording`; the compiler asks for them.
package enum Language: String, CaseIterable, Sendable {
    /// English.
    case english = "en"
    /// German; readers are addressed with "du", as apps do.
    case german = "de"
    /// Spanish; readers are addressed with "tú".
    case spanish = "es"
    /// French; readers are addressed with "vous".
    case french = "fr"
    /// Japanese, in the polite form.
    case japanese = "ja"

    /// The language for a reader who asks for `tag`.
    ///
    /// Look-up of RFC 4647, 3.4: the tag, shortened part by part from its end (`de-Latn-AT`,
    /// `de-Latn`, `de`), and then the default.
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
            // A single letter begins an extension, and is nothing without what followed.
            if parts.last?.utf8.count == 1 { parts.removeLast() }
        }
        self = standard
    }

    /// HTML's `dir`: all of them run from left to right.
    var direction: String { "ltr" }
}
