import ServiceRuntime
import Texts

/// The languages of the pages. To add one: a case here, and its files in `Sources/Texts/page`.
package enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case japanese = "ja"

    /// The language of a BCP 47 tag (`de-CH`), by its primary subtag; nil for one that the pages do
    /// not have.
    init?(tag: String) {
        self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }

    /// The best of those that a browser accepts (RFC 9110, 12.5.4); English for none.
    init(accepting field: String?) {
        let best = AcceptedLanguages(field ?? "").best
        self = best.flatMap { PageLanguage(tag: $0.rawValue) } ?? .english
    }

    /// The language of errors.
    var ofErrors: ErrorLanguage { ErrorLanguage(rawValue: rawValue) ?? .english }

    /// Its name in itself, for people who look for their language.
    var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .spanish: "Español"
        case .french: "Français"
        case .japanese: "日本語"
        }
    }
}

/// The sentences of the pages, from `Sources/Texts/page`: one file for each page and language, and
/// `frame`, which all pages share. A line is `key: sentence`. Files of a formal voice
/// (`….de-formal.txt`) have only the sentences that differ.
package struct PageTexts: Sendable {
    /// A sentence that every page has.
    enum Shared: String, CaseIterable {
        case errorTitle = "error-title"
        case expired, imprint, language, privacy, problem, resume
    }

    /// A sentence that a page has for itself.
    enum Sentence: String, CaseIterable {
        case button, done, hint, intro, label, title, unusable
        case doneTitle = "done-title"
        case unusableNext = "unusable-next"
        /// Only where a page leads to the request of another link.
        case request
    }

    /// The name of the file that all pages share.
    private static let frame = "frame"

    /// The language of all sentences.
    package let language: PageLanguage
    private let shared: [String: String]
    private let sentences: [String: String]

    /// The sentences of a page.
    /// - Parameter isFormal: Whether to address people formally, where the language has a voice for
    ///   that.
    package init(_ page: Page, in language: PageLanguage, isFormal: Bool) {
        self.language = language
        shared = Self.sentences(of: Self.frame, in: language, isFormal)
        sentences = Self.sentences(of: page.rawValue, in: language, isFormal)
    }

    subscript(_ sentence: Shared) -> String { shared[sentence.rawValue] ?? "" }

    subscript(_ sentence: Sentence) -> String { sentences[sentence.rawValue] ?? "" }

    /// The title of a page that reports an error: it begins with that, since a screen reader reads
    /// the title first.
    func errorTitle(_ title: String) -> String {
        self[.errorTitle].replacing("{{title}}", with: title)
    }

    /// The sentences of a file by their keys; empty for none.
    static func sentences(
        of name: String, in language: PageLanguage, _ isFormal: Bool
    ) -> [String: String] {
        let voices = isFormal ? FormalLanguages.all : .none
        return files[voices.voice(of: language.ofErrors)]?[name] ?? [:]
    }

    /// All files by voice and name; read once, at the first use.
    private static let files = Dictionary(
        uniqueKeysWithValues: ErrorLanguage.allCases.map { voice in
            let names = [frame] + Page.allCases.map(\.rawValue)
            return (
                voice,
                Dictionary(
                    uniqueKeysWithValues: names.map {
                        ($0, Texts.lines("page/\($0)", in: voice.rawValue))
                    })
            )
        })
}
