package import ServiceRuntime
import Texts

extension Language {
    /// The best of those that a browser accepts (RFC 9110, 12.5.4); English for none.
    init(accepting field: String?) {
        self = AcceptedLanguages(field ?? "").best?.language ?? .english
    }

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
        case address, check, expired, foreign, imprint, language, privacy, problem, reopen, resume
        case errorTitle = "error-title"
        case foreignLink = "foreign-link"
        case foreignPage = "foreign-page"
        case foreignTitle = "foreign-title"
        case unusableTitle = "unusable-title"
    }

    /// A sentence that a page has for itself.
    enum Sentence: String, CaseIterable {
        case button, done, hint, intro, label, title, unusable
        case doneTitle = "done-title"
        case unusableNext = "unusable-next"
        /// Only where a page leads to the request of another link.
        case request
        /// Only of a page whose link may need a session.
        case sessionNeeded = "session-needed"
        /// Only of a page that sets a password: of a rule that it breaks.
        case unmet
        // Only of a page that asks for address and password.
        case emailHint = "email-hint"
        case emailLabel = "email-label"
        // Only of the deletion of an account.
        case consequences, deleted, keep, kept, later, question, waiting
        case atOnce = "at-once"
        case atOnceHint = "at-once-hint"
        case atOnceTitle = "at-once-title"
        case deletedTitle = "deleted-title"
        case goOn = "go-on"
        case keptTitle = "kept-title"
        case laterHint = "later-hint"
        case laterTitle = "later-title"
        case questionTitle = "question-title"
        case waitingTitle = "waiting-title"
        // Only of the consent of a parent.
        case deadline, given, refuse, refused, withdraw, withdrawn
        case introUnnamed = "intro-unnamed"
        case refuseHint = "refuse-hint"
        case refuseTitle = "refuse-title"
        case refusedTitle = "refused-title"
        case withdrawHint = "withdraw-hint"
        case withdrawTitle = "withdraw-title"
        case withdrawnTitle = "withdrawn-title"
    }

    /// The name of the file that all pages share.
    private static let frame = "frame"

    /// The voice of all sentences.
    let voice: Voice
    private let shared: [String: String]
    private let sentences: [String: String]

    /// The sentences of a page.
    /// - Parameter isFormal: Whether to address people formally, where the language has a voice for
    ///   that.
    package init(_ page: Page, in language: Language, isFormal: Bool) {
        voice = Voice(language, isFormal: isFormal)
        shared = Self.sentences(of: Self.frame, in: language, isFormal)
        sentences = Self.sentences(of: page.rawValue, in: language, isFormal)
    }

    /// The language of all sentences.
    package var language: Language { voice.language }

    subscript(_ sentence: Shared) -> String { shared[sentence.rawValue] ?? "" }

    subscript(_ sentence: Sentence) -> String { sentences[sentence.rawValue] ?? "" }

    /// The title of a page that reports an error: it begins with that, since a screen reader reads
    /// the title first.
    func errorTitle(_ title: String) -> String {
        self[.errorTitle].replacing("{{title}}", with: title)
    }

    /// Sentences in one paragraph.
    func joined(_ sentences: [String]) -> String {
        sentences.joined(separator: language == .japanese ? "" : " ")
    }

    /// The sentences of a file by their keys; empty for none.
    static func sentences(
        of name: String, in language: Language, _ isFormal: Bool
    ) -> [String: String] {
        files[Voice(language, isFormal: isFormal)]?[name] ?? [:]
    }

    /// All files by voice and name; read once, at the first use.
    private static let files = Dictionary(
        uniqueKeysWithValues: Voice.allCases.map { voice in
            let names = [frame] + Page.allCases.map(\.rawValue)
            return (
                voice,
                Dictionary(
                    uniqueKeysWithValues: names.map {
                        ($0, Texts.lines("page/\($0)", in: voice.tag))
                    })
            )
        })
}
