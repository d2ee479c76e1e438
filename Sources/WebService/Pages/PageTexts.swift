package import ServiceRuntime
import Texts

/// The sentences of the pages, from `Sources/Texts/page`: one file for each page and language, and
/// `frame`, which all pages share. A line is `key: sentence`.
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

    /// The language of all sentences.
    package let language: ErrorLanguage
    private let shared: [String: String]
    private let sentences: [String: String]

    /// The sentences of a page.
    /// - Parameter isFormal: Whether to use the files `….LANGUAGE-formal.txt` where there are any.
    package init(_ page: Page, in language: ErrorLanguage, isFormal: Bool) {
        self.language = language
        shared = Self.sentences(of: "frame", in: language, isFormal)
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
        of name: String, in language: ErrorLanguage, _ isFormal: Bool
    ) -> [String: String] {
        let formal = isFormal ? Texts.file("page/\(name).\(language.rawValue)-formal.txt") : nil
        let text = formal ?? Texts.file("page/\(name).\(language.rawValue).txt") ?? ""
        return text.split(separator: "\n").reduce(into: [:]) { sentences, line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            guard parts.count == 2 else { return }
            sentences[String(parts[0])] = String(parts[1])
        }
    }
}

extension ErrorLanguage {
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
