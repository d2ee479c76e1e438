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

/// The sentences of the pages, from `Sources/Texts/page`: one file for each page and language,
/// `frame`, which all pages share, and `second-proof`, of those that sign in. A line is `key: sentence`. Files of a formal voice
/// (`….de-formal.txt`) have only the sentences that differ.
package struct PageTexts: Sendable {
    /// A sentence that every page has.
    enum Shared: String, CaseIterable {
        case address, check, expired, foreign, imprint, language, off, privacy, problem, reopen
        case resume
        case errorTitle = "error-title"
        case foreignLink = "foreign-link"
        case foreignPage = "foreign-page"
        case foreignTitle = "foreign-title"
        case offTitle = "off-title"
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
        // Only of the archive of an account's data.
        case order, preparing, ready, reload
        case orderLead = "order-lead"
        case signOut = "sign-out"
        // Only of the correction of an address.
        case newEmailHint = "new-email-hint"
        case newEmailLabel = "new-email-label"
        // Only of the deletion of an account.
        case introSignIn = "intro-sign-in"
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

    /// A sentence of the form that asks for a proof: beside the first one, again, or as the way in to a
    /// page that is for everyone.
    enum Proof: String, CaseIterable {
        case again, app, button, change, elsewhere, label, lost, others, passkey, password, recovery
        case send, sent, title, totp, unsent
        case changeTitle = "change-title"
        case hint = "hint-code"
        case numberHint = "hint-number"
        case numberLabel = "label-number"
        case passwordHint = "hint-password"
        case passwordLabel = "label-password"
        case recoveryHint = "hint-recovery"
        case recoveryLabel = "label-recovery"
        case sendAgain = "send-again"
        case sentHint = "hint-sent"
        case wayByEmail = "way-email"
        case wayByMail = "way-mail"
        case wayByPasskey = "way-passkey"
        case wayByPassword = "way-password"
        case wayByPhone = "way-phone"
        case wayByRecovery = "way-recovery"
        case wayByTOTP = "way-totp"
    }

    /// A sentence of `/security` after the sign-in.
    enum Security: String, CaseIterable {
        case add, app, apps, back, codes, confirm, dates, few, keep, lead, left, name, once
        case passkey, passkeys, qr, removal, remove, rename, until
        case addPasskey = "add-passkey"
        case addedNotice = "added-notice"
        case appsHint = "apps-hint"
        case codeHint = "code-hint"
        case codeLabel = "code-label"
        case codesAbout = "codes-about"
        case codesFor = "codes-for"
        case codesHint = "codes-hint"
        case codesNotice = "codes-notice"
        case createPasskey = "create-passkey"
        case datesUnused = "dates-unused"
        case firstHint = "first-hint"
        case lastHint = "last-hint"
        case makeCodes = "make-codes"
        case nameHint = "name-hint"
        case noApps = "no-apps"
        case noPasskeys = "no-passkeys"
        case noPrompt = "no-prompt"
        case otherHint = "other-hint"
        case passkeyAdded = "passkey-added"
        case passkeyLead = "passkey-lead"
        case passkeyName = "passkey-name"
        case passkeyNameHint = "passkey-name-hint"
        case passkeyRemovalHint = "passkey-removal-hint"
        case passkeyRemoved = "passkey-removed"
        case passkeyRenamed = "passkey-renamed"
        case passkeyUnusable = "passkey-unusable"
        case passkeysHint = "passkeys-hint"
        case promptFailed = "prompt-failed"
        case removalTitle = "removal-title"
        case removedNotice = "removed-notice"
        case removeIt = "remove-it"
        case removePasskey = "remove-passkey"
        case renameIt = "rename-it"
        case renameTitle = "rename-title"
        case setUp = "set-up"
        case signInByPasskey = "sign-in-passkey"
        case signOut = "sign-out"
    }

    /// The name of the file that all pages share.
    private static let frame = "frame"
    /// The name of the file of proofs.
    private static let proof = "second-proof"

    /// The voice of all sentences.
    let voice: Voice
    private let shared: [String: String]
    private let proofs: [String: String]
    private let sentences: [String: String]

    /// The sentences of a page.
    /// - Parameter isFormal: Whether to address people formally, where the language has a voice for
    ///   that.
    package init(_ page: Page, in language: Language, isFormal: Bool) {
        voice = Voice(language, isFormal: isFormal)
        shared = Self.sentences(of: Self.frame, in: language, isFormal)
        proofs = Self.sentences(of: Self.proof, in: language, isFormal)
        sentences = Self.sentences(of: page.rawValue, in: language, isFormal)
    }

    /// The language of all sentences.
    package var language: Language { voice.language }

    subscript(_ sentence: Shared) -> String { shared[sentence.rawValue] ?? "" }

    subscript(_ sentence: Sentence) -> String { sentences[sentence.rawValue] ?? "" }

    subscript(proof sentence: Proof) -> String { proofs[sentence.rawValue] ?? "" }

    subscript(security sentence: Security) -> String { sentences[sentence.rawValue] ?? "" }

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
            let names = [frame, proof] + Page.allCases.map(\.rawValue)
            return (
                voice,
                Dictionary(
                    uniqueKeysWithValues: names.map {
                        ($0, Texts.lines("page/\($0)", in: voice.tag))
                    })
            )
        })
}
