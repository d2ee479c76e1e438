import ServiceRuntime

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

        fileprivate func state(of page: Page, in language: ErrorLanguage) -> PageState? {
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
                return PageState(form: "", email: email, after: error, in: language)
            case .done: return .done(continueURI: "https://app.example.org/")
            case .unusable: return page.needsLink ? .unusable : nil
            }
        }
    }

    /// The file of a page and state, for example `verify-email.error.de.html`.
    package static func fileName(
        _ page: Page, _ sample: Sample, _ language: PageLanguage
    ) -> String {
        "\(page.rawValue).\(sample.rawValue).\(language.rawValue).html"
    }

    /// The document of that file, which expects `style.css` and `logo` beside it. Nil for a state
    /// that the page cannot have.
    package static func document(
        _ page: Page, _ sample: Sample, _ language: PageLanguage, theme: Theme, isFormal: Bool
    ) -> HTML? {
        let voice = (isFormal ? FormalLanguages.all : .none).voice(of: language.ofErrors)
        return sample.state(of: page, in: voice).map { state in
            PageView(
                page, theme: theme, texts: PageTexts(page, in: language, isFormal: isFormal),
                assets: ""
            ).document(state)
        }
    }
}
