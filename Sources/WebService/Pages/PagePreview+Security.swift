import ServiceRuntime

/// Samples of what pages show that sign in.
extension PagePreview.Sample {
    private static let ways = [
        PageProofWay(kind: .totp, hint: ""), PageProofWay(kind: .phone, hint: "••• 0100"),
        PageProofWay(kind: .recovery, hint: ""),
    ]
    private static let factors = [
        SecurityPage.Factor(
            id: "fac_1", name: "Tablet", addedAt: moment - .seconds(200 * 86_400),
            usedAt: moment - .seconds(7 * 86_400)),
        SecurityPage.Factor(
            id: "fac_2", name: "Authenticator on the old phone in the drawer at home",
            addedAt: moment - .seconds(100 * 86_400), usedAt: nil),
    ]
    private static let passkeys = [
        SecurityPage.Passkey(
            id: "pky_1", name: "Bitwarden", addedAt: moment - .seconds(300 * 86_400),
            usedAt: moment - .seconds(86_400), isUnusable: false),
        SecurityPage.Passkey(
            id: "pky_2", name: "", addedAt: moment - .seconds(800 * 86_400), usedAt: nil,
            isUnusable: true),
    ]
    private static let begun = PageSetUp(
        enrollmentToken: "", secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        uri: "otpauth://totp/Postern:ada%40example.org"
            + "?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Postern", expiresAt: moment)
    private static let tenCodes = [
        "7K3M-Q9XD-2VTR8", "B4HN-06WY-ZC5PE", "R8GT-5JMK-1QA7X", "D2VZ-Y9F3-8NHCW",
        "M6QE-T1BK-4XS0G", "X5RW-A7PD-J3VM9", "3NCY-H8TG-06ZFK", "W1JS-4KQE-B9RXD",
        "9TFP-ZM2V-Y5C7H", "G0AX-6D8N-W3MQT",
    ]

    /// A second proof is asked for.
    func secondProof(_ page: Page, in voice: Voice) -> PageState {
        func asking(_ chosen: PageProofKind, isSent: Bool = false, _ code: ErrorCode? = nil)
            -> PageState
        {
            .proof(
                token: "preview",
                form: PageProofForm(
                    ways: Self.ways, chosen: chosen, isSent: isSent, mayBeginAgain: page.signsIn),
                problem: code.map { PageProblem(ServiceError($0), in: voice) })
        }
        return switch self {
        case .proofError: asking(.totp, .invalidCode)
        case .sending: asking(.phone)
        case .sent: asking(.phone, isSent: true)
        case .elsewhere: .proofElsewhere
        default: asking(.totp)
        }
    }

    /// What the script would ask for; the browser refuses these options.
    private static func prompt(_ kind: PasskeyPrompt.Kind) -> PasskeyPrompt {
        PasskeyPrompt(kind, options: "{}", until: moment + .seconds(600), at: moment)
    }

    /// What it would ask for in a form that signs in; nil for another page.
    func signInPrompt(_ page: Page) -> PasskeyPrompt? {
        guard page == .security, self == .form || self == .error || self == .limited else {
            return nil
        }
        var prompt = Self.prompt(.get)
        prompt.isSuggested = true
        return prompt
    }

    /// A page about one passkey.
    private func passkey(in voice: Voice) -> PageState {
        let question: PasskeyPage.Question =
            switch self {
            case .passkeyName: .name(Self.passkeys[0])
            case .passkeyRemoval: .removal(Self.passkeys[0])
            default: .adding(Self.prompt(.create), name: "")
            }
        let error = self == .passkeyError ? ServiceError(.invalidPasskey) : nil
        return .passkey(
            PasskeyPage(
                token: "preview", question: question,
                problem: error.map { PageProblem($0, in: voice) }))
    }

    /// `/security` after the sign-in.
    func security(in voice: Voice) -> PageState {
        var page = SecurityPage(
            token: "preview", factors: Self.factors, passkeys: Self.passkeys, codesLeft: 8)
        switch self {
        case .passkeyAdding, .passkeyError, .passkeyName, .passkeyRemoval:
            return passkey(in: voice)
        case .byPasskey:
            return .proof(
                token: "preview",
                form: PageProofForm(
                    ways: [PageProofWay(kind: .passkey, hint: "")]
                        + Self.ways.filter(\.kind.worksInSession),
                    chosen: .passkey, act: .makeCodes, mayBeginAgain: false,
                    prompt: Self.prompt(.get)))
        case .setUp: return adding(nil, in: voice)
        case .setUpError: return adding(.invalidCode, in: voice)
        case .removal:
            return .removal(token: "preview", factor: Self.factors[0], isLast: true)
        case .again:
            return .proof(
                token: "preview",
                form: PageProofForm(
                    ways: Self.ways.filter(\.kind.worksInSession), chosen: .totp,
                    act: .makeCodes, mayBeginAgain: false))
        case .empty: (page.factors, page.passkeys, page.codesLeft) = ([], [], 0)
        case .few: (page.codesLeft, page.notice) = (2, .removed)
        case .codes:
            (page.codes, page.codesMadeAt) = (Self.tenCodes, Self.moment)
            (page.factors, page.codesLeft) = (Array(Self.factors.prefix(1)), Self.tenCodes.count)
            page.notice = .added
        default: break
        }
        return .security(page)
    }

    private func adding(_ code: ErrorCode?, in voice: Voice) -> PageState {
        .setUp(
            SetUpForm(
                token: "preview", setUp: Self.begun, sealed: "preview", isFirst: true,
                problem: code.map { PageProblem(ServiceError($0), in: voice) }))
    }
}
