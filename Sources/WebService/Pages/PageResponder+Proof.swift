import Cryptography
import HTTPTypes
import Messages
import ServiceRuntime

/// The second proof of a sign-in, on each page that signs in, and on `/reset-password` (F-03):
///
///     POST                    the first proof was right; the challenge is in the page's cookie
///     GET                     the form that asks for a proof
///     POST other=KIND         the same for another kind
///     POST send=KIND          a code is sent
///     POST code=… password=…  the sign-in is completed, and the page goes on with its work
///     POST again=1            the challenge is forgotten
///
/// Attack: somebody with the password, or with the link of a reset, gets past the factor by a page.
/// No page has a session before identity has completed the challenge.
extension PageResponder {
    /// Shows what a sign-in asks for beside its first proof.
    func askForProof(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit,
        _ asked: ServiceError.SecondProof
    ) async throws {
        let takesPasskeys = await takesPasskeys(exchange, page)
        guard let challenge = PageChallenge(asked, takesPasskeys: takesPasskeys) else {
            return try await show(exchange, page, .proofElsewhere, visit, status: .ok)
        }
        try await showProof(exchange, page, visit, challenge)
    }

    /// Shows the form that asks for a proof.
    /// - Parameter problem: why an attempt failed; nil before one.
    func showProof(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, _ challenge: PageChallenge,
        after problem: ServiceError? = nil
    ) async throws {
        var visit = visit
        visit.challenge = challenge
        let own = PageForm(visit, randomness: randomness)
        let prompt =
            challenge.chosen == .passkey
            ? await proofPrompt(
                challenge.token, on: own.device, context(exchange, visit)) : nil
        // A reset has used its link up: there is nothing to begin again with.
        let form = challenge.form(mayBeginAgain: page.signsIn, prompt: prompt)
        try await show(
            exchange, page,
            .proof(
                token: own.token, form: form,
                problem: problem.map { self.problem($0, exchange, visit) }),
            visit, status: problem.map(Self.status) ?? .ok,
            retryAfter: problem?.retryAfterSeconds)
    }

    /// An error in the words of a visit.
    func problem(
        _ error: ServiceError, _ exchange: HTTPExchange, _ visit: PageVisit
    ) -> PageProblem {
        PageProblem(error, in: formalLanguages.voice(of: language(exchange, visit)))
    }

    /// Answers a form of a visit whose sign-in waits for a proof.
    func answer(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, _ challenge: PageChallenge,
        _ form: PageForm, _ parameters: FormParameters
    ) async throws {
        var challenge = challenge
        if parameters[PageProofForm.againField] != nil, page.signsIn {
            return try await beginAgain(exchange, page, visit)
        }
        if let other = parameters[PageProofForm.otherField].flatMap(PageProofKind.init(rawValue:)) {
            challenge.choose(other)
            return try await showProof(exchange, page, visit, challenge)
        }
        // The form of another window, or of the first proof, is for another kind.
        guard parameters[PageProofForm.kindField] == challenge.chosen.rawValue else {
            return try await showProof(exchange, page, visit, challenge)
        }
        let typed = parameters[challenge.chosen.field.rawValue] ?? ""
        let submission = PageCalls.Submission(
            page: page, form: form, linkToken: visit.linkToken, input: typed,
            client: client(of: exchange), language: language(exchange, visit))
        do {
            guard parameters[PageProofForm.sendField] == nil else {
                try await calls.sendCode(of: challenge, submission)
                challenge.recordSending()
                return try await showProof(exchange, page, visit, challenge)
            }
            let completed = try await calls.complete(challenge, submission, SecretBytes(typed))
            try await goOn(exchange, page, visit, completed, submission)
        } catch let error as ServiceError
            where page == .resetPassword && error.code == .sessionEnded
        {
            // The form was sent twice: the first call has set the password, and the page has signed
            // its session out.
            try await finish(exchange, page, visit)
        } catch let error as ServiceError
            where error.code == .invalidChallenge || error.code == .sessionEnded
        {
            try await beginAgain(exchange, page, visit, after: error)
        } catch let error as ServiceError {
            try await showProof(exchange, page, visit, challenge, after: error)
        }
    }

    /// Forgets the challenge.
    private func beginAgain(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit,
        after problem: ServiceError? = nil
    ) async throws {
        var visit = visit
        visit.challenge = nil
        guard page.signsIn else {
            // The link of a reset is used up by its challenge.
            return try await fail(exchange, page, visit, ServiceError(.invalidLink), "")
        }
        let email = visit.link.email
        if visit.linkToken.isEmpty { visit.link = .unknown }
        guard let problem else {
            guard !page.hasWays else { return try await showWays(exchange, page, visit) }
            return try await show(exchange, page, form(page, visit), visit, status: .ok)
        }
        try await fail(exchange, page, visit, problem, email)
    }

    /// What a page does once its sign-in is complete.
    private func goOn(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit,
        _ signedIn: (session: PageSession, email: String), _ submission: PageCalls.Submission
    ) async throws {
        switch page {
        case .security: try enter(exchange, page, visit, signedIn)
        case .deleteAccount, .yourData:
            try await goIn(exchange, page, visit, signedIn, submission)
        default:
            await calls.signOut(signedIn.session, submission)
            try await finish(exchange, page, visit)
        }
    }

    private func finish(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit
    ) async throws {
        var visit = visit
        visit.challenge = nil
        try await show(
            exchange, page, .done(continueURI: visit.continueURI), visit, status: .ok)
    }
}
