import ServiceRuntime

/// What a page shows.
package enum PageState: Hashable, Sendable {
    /// The form; after an attempt with what was wrong with it.
    case form(token: String, email: String = "", problems: [String] = [])
    /// What a deletion does, with a button that leads to its last question; after an attempt with
    /// what was wrong with it. Without consequences there is no button.
    case consequences(token: String, sentences: [String], problems: [String] = [])
    /// The last question before a deletion; it may only wait while there is an export.
    case lastQuestion(token: String, confirmation: String, onlyLater: Bool)
    /// What a parent is asked; after an attempt with what was wrong with it. Without a token there
    /// are no buttons.
    case parent(token: String, childName: String, isGiven: Bool, problems: [String] = [])
    /// It is done; with a redirect URI of an app, or empty.
    case done(continueURI: String, result: PageResult = .done)
    /// There is no link, or it does not work any more.
    case unusable
    /// The form that was sent is not known to be of this page. There is no form to send again: the
    /// browser would be refused again.
    case foreign

    /// The rules that a password breaks, a sentence each; otherwise the error's sentence.
    static func problems(_ error: ServiceError, in voice: Voice) -> [String] {
        let error = error.worded(in: voice)
        let rules = error.violations.map(\.userMessage).filter { !$0.isEmpty }
        return rules.isEmpty ? [error.userMessage] : rules
    }
}

/// What a page has done.
package enum PageResult: Hashable, Sendable {
    /// What it is for.
    case done
    /// An account is being deleted.
    case deleted
    /// An account will be deleted later.
    case waiting
    /// A parent has refused or withdrawn consent.
    case refused

    /// The page's title.
    var title: PageTexts.Sentence {
        switch self {
        case .done: .doneTitle
        case .deleted: .deletedTitle
        case .waiting: .waitingTitle
        case .refused: .refusedTitle
        }
    }

    /// What the person reads.
    var text: PageTexts.Sentence {
        switch self {
        case .done: .done
        case .deleted: .deleted
        case .waiting: .waiting
        case .refused: .refused
        }
    }
}
