package import ServiceRuntime

/// What a page shows.
package enum PageState: Hashable, Sendable {
    /// The form; after an attempt with what was wrong with it.
    case form(
        token: String, email: String = "", newEmail: String = "", problem: PageProblem? = nil)
    /// The form of a way in to a page that is for everyone; after an attempt with what was wrong with
    /// it.
    case ways(token: String, form: PageWaysForm, problem: PageProblem? = nil)
    /// What is known of the archive of an account's data.
    case export(ExportPage)
    /// Of an account without a password: where its link works; with a redirect URI of an app, or
    /// empty.
    case sessionNeeded(continueURI: String)
    /// What a deletion does, with a button that leads to its last question; after an attempt with
    /// what was wrong with it. Without consequences there is no button.
    case consequences(token: String, sentences: [String], problem: PageProblem? = nil)
    /// The last question before a deletion; it may only wait while there is an export. One that
    /// waits is due at `due`.
    case lastQuestion(token: String, confirmation: String, onlyLater: Bool, due: Timestamp)
    /// What a parent is asked; after an attempt with what was wrong with it. Without a token there
    /// are no buttons. The account is deleted at `deletionAt`: unless there is an answer, or if a
    /// consent is withdrawn; nil if that is not known.
    case parent(
        token: String, childName: String, isGiven: Bool, deletionAt: Timestamp?,
        problem: PageProblem? = nil)
    /// The form that asks for a proof beside the first one, or again; after an attempt with what was
    /// wrong with it.
    case proof(token: String, form: PageProofForm, problem: PageProblem? = nil)
    /// A second proof is needed that a page cannot take.
    case proofElsewhere
    /// An account's passkeys and second factors, and its recovery codes.
    case security(SecurityPage)
    /// The form that adds an authenticator app.
    case setUp(SetUpForm)
    /// The question before a second factor is removed.
    case removal(token: String, factor: SecurityPage.Factor, isLast: Bool)
    /// A passkey is added, renamed or removed.
    case passkey(PasskeyPage)
    /// It is done; with a redirect URI of an app, or empty.
    case done(continueURI: String, result: PageResult = .done)
    /// There is no link, or it does not work any more.
    case unusable
    /// It is for people with passwords, which the operator has switched off.
    case switchedOff
    /// The form that was sent is not known to be of this page. There is no form to send again: the
    /// browser would be refused again.
    case foreign

    /// What is wrong with the form that was sent; nil for nothing.
    var problem: PageProblem? {
        switch self {
        case .form(_, _, _, let problem), .consequences(_, _, let problem),
            .parent(_, _, _, _, let problem), .proof(_, _, let problem), .ways(_, _, let problem):
            problem
        case .export(let page): page.problem
        case .security(let page): page.problem
        case .setUp(let form): form.problem
        case .passkey(let page): page.problem
        case .sessionNeeded, .lastQuestion, .proofElsewhere, .removal, .done, .unusable,
            .switchedOff, .foreign:
            nil
        }
    }

    /// Whether it is a list or a setting, which has more room than a form.
    var isWide: Bool {
        switch self {
        case .security, .setUp, .removal, .passkey: true
        default: false
        }
    }

    /// What the script asks the browser for; nil for nothing. Of a form that signs in,
    /// `PageView.prompt` says it.
    var prompt: PasskeyPrompt? {
        switch self {
        case .proof(_, let form, _): form.prompt
        case .passkey(let page): page.prompt
        default: nil
        }
    }

    /// What the browser learns of passkeys.
    var signal: PasskeySignal? {
        if case .security(let page) = self { page.signal } else { nil }
    }
}

/// What is wrong with a form that was sent.
package struct PageProblem: Hashable, Sendable {
    /// The rules that a password breaks, a sentence each; otherwise the error's sentence.
    let sentences: [String]
    /// The error's sentence.
    let summary: String
    /// The rules that a password breaks.
    let brokenRules: Set<PasswordRule>
    /// The field to correct; nil if the error is about no field.
    let field: Page.Field?

    /// A problem with the form as a whole.
    init(_ sentence: String) {
        (sentences, summary) = ([sentence], sentence)
        (brokenRules, field) = ([], nil)
    }

    /// The gateway's error.
    init(_ error: ServiceError, in voice: Voice) {
        let error = error.worded(in: voice)
        let rules = error.violations.map(\.userMessage).filter { !$0.isEmpty }
        sentences = rules.isEmpty ? [error.userMessage] : rules
        summary = error.userMessage
        brokenRules =
            error.code == .weakPassword
            ? Set(error.violations.compactMap { PasswordRule(rawValue: $0.rule) }) : []
        field =
            switch error.code {
            case .weakPassword, .invalidCredential, .passwordNeeded: .password
            case .invalidEmail: Self.named(by: error) ?? .email
            case .emailAlreadyInUse: Self.named(by: error)
            case .invalidCode, .codeExpired: .code
            case .invalidPhoneNumber, .phoneCountryNotAllowed: .number
            default: nil
            }
    }

    /// The field that an error names: a form may have two addresses.
    private static func named(by error: ServiceError) -> Page.Field? {
        error.fields.first.flatMap { Page.Field(rawValue: $0) }
    }
}

/// What a page has done.
package enum PageResult: Hashable, Sendable {
    /// What it is for.
    case done
    /// The person keeps the account: no deletion was requested.
    case kept
    /// An account is being deleted.
    case deleted
    /// The deletion of an account waits, and begins then.
    case waiting(until: Timestamp)
    /// A parent has refused consent.
    case refused
    /// A parent has withdrawn consent, and the account is deleted then.
    case withdrawn(until: Timestamp)

    /// The page's title.
    var title: PageTexts.Sentence {
        switch self {
        case .done: .doneTitle
        case .kept: .keptTitle
        case .deleted: .deletedTitle
        case .waiting: .waitingTitle
        case .refused: .refusedTitle
        case .withdrawn: .withdrawnTitle
        }
    }

    /// What the person reads.
    var text: PageTexts.Sentence {
        switch self {
        case .done: .done
        case .kept: .kept
        case .deleted: .deleted
        case .waiting: .waiting
        case .refused: .refused
        case .withdrawn: .withdrawn
        }
    }

    /// Until when something waits; nil if nothing does.
    var until: Timestamp? {
        switch self {
        case .waiting(let until), .withdrawn(let until): until
        case .done, .kept, .deleted, .refused: nil
        }
    }

    /// Whether an account goes on: most people then want to go on with the app.
    var isGoingOn: Bool { self == .done || self == .kept }
}
