package import ServiceRuntime

/// Every page in every state, as files to look at (`postern pages preview`).
package enum PagePreview {
    /// What a page can show, with sample values.
    package enum Sample: String, CaseIterable, Sendable {
        /// Before an attempt.
        case form
        /// After a failed one.
        case error
        /// Before the last question of a deletion.
        case consequences
        /// The last question of a deletion.
        case question
        /// Where a parent can withdraw consent.
        case given
        /// After a successful one.
        case done
        /// After a deletion was requested at once.
        case deleted
        /// After a deletion was requested for later.
        case waiting
        /// After a parent has refused.
        case refused
        /// Without a link that works.
        case unusable
        /// After a form that is not known to be of the page.
        case foreign

        fileprivate func state(of page: Page, in voice: Voice) -> PageState? {
            switch self {
            case .form where page == .parent: return parent()
            case .form:
                return .form(token: "", email: page == .yourData ? link(of: page).email : "")
            case .error where page == .parent:
                return parent(PageState.problems(ServiceError(.unavailable), in: voice))
            case .given: return page == .parent ? parent(isGiven: true) : nil
            case .refused:
                return page == .parent ? .done(continueURI: "", result: .refused) : nil
            case .error:
                let error: ServiceError =
                    switch page {
                    case .verifyEmail: ServiceError(.passwordNeeded)
                    case .changeEmail, .yourData: ServiceError(.invalidCredential)
                    case .resetPassword: .weakPassword([.length, .common], field: "password")
                    case .forgotPassword, .deleteAccount: ServiceError(.invalidEmail)
                    case .keepAccount, .parent: ServiceError(.unavailable)
                    }
                let email = page.showsEmail ? "ada@example" : ""
                return .form(
                    token: "", email: email, problems: PageState.problems(error, in: voice))
            // The result of `/your-data` is a file.
            case .done:
                return page == .yourData ? nil : .done(continueURI: "https://app.example.org/")
            case .unusable: return page == .forgotPassword ? nil : .unusable
            case .foreign: return .foreign
            case .consequences, .question, .deleted, .waiting:
                return page == .deleteAccount ? deletion(in: voice) : nil
            }
        }

        /// What is known of the link.
        fileprivate func link(of page: Page) -> PageLink {
            let asksForOne = !page.needsLink && [.form, .error, .done].contains(self)
            return asksForOne || self == .unusable || self == .foreign
                ? .unknown : PageLink(email: "ada@example.org", needsPassword: true)
        }

        private func parent(_ problems: [String] = [], isGiven: Bool = false) -> PageState {
            .parent(token: "preview", childName: "Ada", isGiven: isGiven, problems: problems)
        }

        private func deletion(in voice: Voice) -> PageState {
            switch self {
            case .question: .lastQuestion(token: "", confirmation: "", onlyLater: false)
            case .deleted: .done(continueURI: "", result: .deleted)
            case .waiting: .done(continueURI: "", result: .waiting)
            default:
                .consequences(
                    token: "",
                    sentences: DeletionConsequence.allCases.map { $0.sentence(count: 7, in: voice) }
                )
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
                assets: "", link: sample.link(of: page)
            ).document(state)
        }
    }
}
