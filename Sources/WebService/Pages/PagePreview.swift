package import ServiceRuntime

/// Every page in every state, as files to look at (`postern pages preview`).
package enum PagePreview {
    /// What a page can show, with sample values.
    package enum Sample: String, CaseIterable, Sendable {
        /// Before an attempt.
        case form
        /// Of an account without a password, which a page cannot prove.
        case session
        /// After a failed one.
        case error
        /// After one that a limit has refused.
        case limited
        /// Before the last question of a deletion.
        case consequences
        /// The last question of a deletion.
        case question
        /// Where a parent can withdraw consent.
        case given
        /// After a successful one.
        case done
        /// After a deletion was not requested.
        case kept
        /// After a deletion was requested at once.
        case deleted
        /// After a deletion was requested for later.
        case waiting
        /// After a parent has refused.
        case refused
        /// After a parent has withdrawn consent.
        case withdrawn
        /// Without a link that works.
        case unusable
        /// After a form that is not known to be of the page.
        case foreign

        /// 5 December 2026, 14:00 UTC.
        fileprivate static let moment = Timestamp(milliseconds: 1_796_479_200_000)

        fileprivate func state(of page: Page, in voice: Voice) -> PageState? {
            switch self {
            case .form: return asking(page, page == .yourData ? link(of: page).email : "", nil)
            case .session: return page.mayNeedSession ? .sessionNeeded(continueURI: "") : nil
            case .error: return asking(page, "ada@example", page.sampleError(in: voice))
            case .limited:
                let error = ServiceError(.tooManyRequests, retryAfter: .seconds(300))
                return asking(page, "ada@example.org", PageProblem(error, in: voice))
            case .given: return page == .parent ? parent(isGiven: true, nil) : nil
            case .refused: return page == .parent ? result(.refused) : nil
            case .withdrawn: return page == .parent ? result(.withdrawn(until: Self.moment)) : nil
            // The result of `/your-data` is a file.
            case .done: return page == .yourData ? nil : result(.done)
            case .unusable: return page == .forgotPassword ? nil : .unusable
            case .foreign: return .foreign
            case .consequences, .question, .kept, .deleted, .waiting:
                return page == .deleteAccount ? deletion(in: voice) : nil
            }
        }

        /// What is known of the link, where a page has one.
        fileprivate func link(of page: Page) -> PageLink {
            page.needsLink || self == .consequences || self == .question
                ? PageLink(email: "ada@example.org", proof: .password) : .unknown
        }

        /// The state with a form; after an attempt with what was wrong with it.
        private func asking(_ page: Page, _ email: String, _ problem: PageProblem?) -> PageState {
            guard page != .parent else { return parent(isGiven: false, problem) }
            return .form(token: "", email: page.showsEmail ? email : "", problem: problem)
        }

        private func parent(isGiven: Bool, _ problem: PageProblem?) -> PageState {
            .parent(
                token: "preview", childName: "Ada", isGiven: isGiven, deletionAt: Self.moment,
                problem: problem)
        }

        private func result(_ result: PageResult) -> PageState {
            .done(continueURI: "https://app.example.org/", result: result)
        }

        private func deletion(in voice: Voice) -> PageState {
            switch self {
            case .question:
                .lastQuestion(token: "", confirmation: "", onlyLater: false, due: Self.moment)
            case .kept: result(.kept)
            case .deleted: result(.deleted)
            case .waiting: result(.waiting(until: Self.moment))
            default:
                // With an export it would wait without being asked to.
                .consequences(
                    token: "",
                    sentences: DeletionConsequence.allCases.filter { $0 != .export }.map {
                        $0.sentence(count: 7, in: voice)
                    })
            }
        }
    }

    /// The file of a page and state, for example `verify-email.error.de.html`.
    package static func fileName(
        _ page: Page, _ sample: Sample, _ language: Language
    ) -> String {
        "\(page.rawValue).\(sample.rawValue).\(language.rawValue).html"
    }

    /// The document of that file, which expects `style.css` and the theme's files beside it. Nil
    /// for a state that the page cannot have.
    package static func document(
        _ page: Page, _ sample: Sample, _ language: Language, theme: Theme, isFormal: Bool
    ) -> HTML? {
        sample.state(of: page, in: Voice(language, isFormal: isFormal)).map { state in
            PageView(
                page, theme: theme, texts: PageTexts(page, in: language, isFormal: isFormal),
                assets: "", app: app(theme), link: sample.link(of: page)
            ).document(state)
        }
    }
}

extension PagePreview {
    /// With the rules of the setting `password-policy: document`.
    private static func app(_ theme: Theme) -> AppOptions {
        let rules: [PasswordRule] = [.length, .upperCase, .lowerCase, .digit, .common, .context]
        return AppOptions(
            name: theme.name.isEmpty ? "Postern" : theme.name,
            passwordRules: rules.map { PasswordRequirement(rule: $0, codePoints: 8...128) })
    }
}

extension Page {
    /// An error of the page's call that is often seen.
    fileprivate func sampleError(in voice: Voice) -> PageProblem {
        let error: ServiceError =
            switch self {
            case .verifyEmail: ServiceError(.passwordNeeded)
            case .changeEmail, .yourData: ServiceError(.invalidCredential)
            case .resetPassword: .weakPassword([.length, .common], field: "password")
            case .forgotPassword, .deleteAccount: ServiceError(.invalidEmail)
            case .keepAccount, .parent: ServiceError(.unavailable)
            }
        return PageProblem(error, in: voice)
    }
}
