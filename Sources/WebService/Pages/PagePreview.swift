package import ServiceRuntime

/// Every page in every state, as files to look at (`postern pages preview`).
package enum PagePreview {
    /// What a page can show, with sample values.
    package enum Sample: String, CaseIterable, Sendable {
        /// Before an attempt.
        case form
        /// After a failed one.
        case error
        /// After a successful one.
        case done
        /// Without a link that works.
        case unusable

        fileprivate func state(of page: Page, in voice: Voice) -> PageState? {
            switch self {
            case .form: return .form(token: "")
            case .error:
                let error: ServiceError =
                    switch page {
                    case .verifyEmail: ServiceError(.passwordNeeded)
                    case .changeEmail: ServiceError(.invalidCredential)
                    case .resetPassword: .weakPassword([.length, .common], field: "password")
                    case .forgotPassword: ServiceError(.invalidEmail)
                    }
                let email = page.field == .email ? "ada@example" : ""
                return PageState(form: "", email: email, after: error, in: voice)
            case .done: return .done(continueURI: "https://app.example.org/")
            case .unusable: return page.needsLink ? .unusable : nil
            }
        }
    }

    /// The file of a page and state, for example `verify-email.error.de.html`.
    package static func fileName(
        _ page: Page, _ sample: Sample, _ language: Language
    ) -> String {
        "\(page.rawValue).\(sample.rawValue).\(language.rawValue).html"
    }

    /// The document of that file, which expects `style.css` and `logo` beside it. Nil for a state
    /// that the page cannot have.
    package static func document(
        _ page: Page, _ sample: Sample, _ language: Language, theme: Theme, isFormal: Bool
    ) -> HTML? {
        sample.state(of: page, in: Voice(language, isFormal: isFormal)).map { state in
            PageView(
                page, theme: theme, texts: PageTexts(page, in: language, isFormal: isFormal),
                assets: ""
            ).document(state)
        }
    }
}
