package import ServiceRuntime

/// Every page in every state, as files to look at (`postern pages preview`).
package enum PagePreview {
    /// What a page can show, with sample values.
    package enum Sample: String, CaseIterable, Sendable {
        /// Before an attempt.
        case form
        /// The way in by address and password.
        case byPassword = "by-password"
        /// The way in by a code, before one is sent.
        case byPhone = "by-phone"
        /// The same after one was sent.
        case phoneCode = "phone-code"
        /// After a wrong one.
        case phoneCodeError = "phone-code-error"
        /// Where the app has to be opened.
        case inApp = "in-app"
        /// An account without an archive of its data.
        case unprepared
        /// An account whose archive is being prepared.
        case preparing
        /// An account with an archive.
        case ready
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
        /// Where passwords are switched off.
        case off
        /// After a form that is not known to be of the page.
        case foreign
        /// Where a second proof is asked for.
        case proof
        /// After a wrong one.
        case proofError = "proof-error"
        /// Before a code is sent.
        case sending
        /// After one was sent.
        case sent
        /// Where a second proof is asked for that a page cannot take.
        case elsewhere
        /// An account without a second factor.
        case empty
        /// An account with second factors.
        case list
        /// One with few recovery codes, after an app was removed.
        case few
        /// Before an app is added.
        case setUp = "set-up"
        /// After a wrong code of it.
        case setUpError = "set-up-error"
        /// After the first app was added.
        case codes
        /// Before an app is removed.
        case removal
        /// Before a change whose proof is too old.
        case again
        /// The same, by a passkey.
        case byPasskey = "by-passkey"
        /// Before a passkey is added.
        case passkeyAdding = "passkey-adding"
        /// After a refused one.
        case passkeyError = "passkey-error"
        /// Before a passkey gets another name.
        case passkeyName = "passkey-name"
        /// Before a passkey is removed.
        case passkeyRemoval = "passkey-removal"

        /// 5 December 2026, 14:00 UTC.
        static let moment = Timestamp(milliseconds: 1_796_479_200_000)

        fileprivate func state(of page: Page, in voice: Voice) -> PageState? {
            switch self {
            case .form: return asking(page, "", nil)
            case .off: return page.needsPasswords ? .switchedOff : nil
            case .byPassword:
                return page == .deleteAccount
                    ? ways(PageWaysForm(chosen: .password, others: [.mail, .phone])) : nil
            case .byPhone, .phoneCode, .phoneCodeError:
                return page.hasWays ? byPhone(page, in: voice) : nil
            case .inApp:
                return page == .yourData
                    ? ways(PageWaysForm(chosen: nil, others: [], hasProviders: true)) : nil
            case .unprepared, .preparing, .ready: return page == .yourData ? archive : nil
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
            case .unusable:
                let hasNoLink: [Page] = [.correctEmail, .forgotPassword, .security]
                return hasNoLink.contains(page) ? nil : .unusable
            case .proof, .proofError, .sending, .sent, .elsewhere:
                return page.mayNeedSecondProof ? secondProof(page, in: voice) : nil
            case .empty, .list, .few, .setUp, .setUpError, .codes, .removal, .again, .byPasskey,
                .passkeyAdding, .passkeyError, .passkeyName, .passkeyRemoval:
                return page == .security ? security(in: voice) : nil
            case .foreign: return .foreign
            case .consequences, .question, .kept, .deleted, .waiting:
                return page == .deleteAccount ? deletion(in: voice) : nil
            }
        }

        /// What is known of the link, where a page has one.
        fileprivate func link(of page: Page) -> PageLink {
            page.needsLink || isOfAccount
                ? PageLink(email: "ada@example.org", proof: .password) : .unknown
        }

        /// Whether the page says whose account it is about, also without a link.
        private var isOfAccount: Bool {
            switch self {
            case .consequences, .question, .proof, .proofError, .sending, .sent, .elsewhere, .empty,
                .unprepared, .preparing, .ready, .list, .few, .setUp, .setUpError, .codes, .removal,
                .again, .byPasskey,
                .passkeyAdding, .passkeyError, .passkeyName, .passkeyRemoval:
                true
            default: false
            }
        }

        /// The state with a form; after an attempt with what was wrong with it.
        private func asking(_ page: Page, _ email: String, _ problem: PageProblem?) -> PageState {
            guard page != .parent else { return parent(isGiven: false, problem) }
            guard !page.hasWays else {
                let ways = Self.ways(to: page)
                return self.ways(
                    PageWaysForm(
                        chosen: ways.first, others: Array(ways.dropFirst()), email: email,
                        hasProviders: true), problem)
            }
            return .form(token: "", email: page.showsEmail ? email : "", problem: problem)
        }

        private func parent(isGiven: Bool, _ problem: PageProblem?) -> PageState {
            .parent(
                token: "preview", childName: "Ada", isGiven: isGiven, deletionAt: Self.moment,
                problem: problem)
        }

        private static func ways(to page: Page) -> [PageWay] {
            var app = AppOptions(takesPhones: true)
            app.hasProviders = true
            return app.ways(to: page, .unknown)
        }

        private func ways(_ form: PageWaysForm, _ problem: PageProblem? = nil) -> PageState {
            .ways(token: "preview", form: form, problem: problem)
        }

        private func byPhone(_ page: Page, in voice: Voice) -> PageState {
            ways(
                PageWaysForm(
                    chosen: .phone, others: Self.ways(to: page).filter { $0 != .phone },
                    number: self == .byPhone ? "" : "+49 151 23456789",
                    isSent: self != .byPhone, hasProviders: true),
                self == .phoneCodeError ? PageProblem(ServiceError(.invalidCode), in: voice) : nil)
        }

        private var archive: PageState {
            let archive: ExportPage.Archive =
                switch self {
                case .preparing: .preparing
                case .ready: .ready(until: Self.moment)
                default: .none
                }
            return .export(ExportPage(token: "preview", archive: archive, isSignedIn: true))
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
                // With these it would wait without being asked to.
                .consequences(
                    token: "",
                    sentences: DeletionConsequence.allCases.filter { !$0.waitsAnyway }.map {
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

    /// The document of that file, which expects `style.css`, the script and the theme's files beside
    /// it. Nil for a state that the page cannot have.
    package static func document(
        _ page: Page, _ sample: Sample, _ language: Language, theme: Theme, isFormal: Bool
    ) -> HTML? {
        sample.state(of: page, in: Voice(language, isFormal: isFormal)).map { state in
            var view = PageView(
                page, theme: theme, texts: PageTexts(page, in: language, isFormal: isFormal),
                assets: "", app: app(page, theme), link: sample.link(of: page))
            view.prompt = sample.signInPrompt(page)
            return view.document(state)
        }
    }
}

extension PagePreview {
    /// With the rules of the setting `password-policy: document`.
    private static func app(_ page: Page, _ theme: Theme) -> AppOptions {
        let rules: [PasswordRule] = [.length, .upperCase, .lowerCase, .digit, .common, .context]
        return AppOptions(
            name: theme.name.isEmpty ? "Postern" : theme.name,
            passwordRules: rules.map { PasswordRequirement(rule: $0, codePoints: 8...128) },
            takesPasskeys: page == .security)
    }
}

extension Page {
    /// An error of the page's call that is often seen.
    fileprivate func sampleError(in voice: Voice) -> PageProblem {
        let error: ServiceError =
            switch self {
            case .verifyEmail: ServiceError(.passwordNeeded)
            case .correctEmail, .changeEmail, .yourData, .security:
                ServiceError(.invalidCredential)
            case .resetPassword: .weakPassword([.length, .common], field: "password")
            case .forgotPassword, .deleteAccount: ServiceError(.invalidEmail)
            case .keepAccount, .notMe, .keepSecondFactors, .parent: ServiceError(.unavailable)
            }
        return PageProblem(error, in: voice)
    }
}
