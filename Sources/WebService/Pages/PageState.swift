import ServiceRuntime

/// What a page shows.
package enum PageState: Hashable, Sendable {
    /// The form; after an attempt with what was wrong with it.
    case form(token: String, email: String = "", problems: [String] = [])
    /// It is done; with a redirect URI of an app, or empty.
    case done(continueURI: String)
    /// There is no link, or it does not work any more.
    case unusable

    /// The form after an error of the gateway.
    init(form token: String, email: String, after error: ServiceError, in voice: Voice) {
        let error = error.worded(in: voice)
        // The rules that a password breaks, a sentence each; otherwise the error's sentence.
        let rules = error.violations.map(\.userMessage).filter { !$0.isEmpty }
        self = .form(
            token: token, email: email,
            problems: rules.isEmpty
                ? [error.sentence ?? error.code.sentence(in: voice)] : rules)
    }
}
