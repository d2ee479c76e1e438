/// The form of a language tag, `de` or `pt-BR`. Any language may be asked for: where the catalogue
/// has no texts in it, they are in another one.
package enum LanguageTag {
    /// Longer than any language with its script and region (RFC 5646, 4.4.1).
    static let bytesMax = 35

    /// Whether a text has the form of a tag: parts of 1 to 8 letters and digits of ASCII, separated
    /// by single hyphens (RFC 5646, 2.1).
    package static func isValid(_ text: String) -> Bool {
        text.utf8.count <= bytesMax
            && text.split(separator: "-", omittingEmptySubsequences: false)
                .allSatisfy { $0.isName(1...8, [.letter, .digit]) }
    }
}
