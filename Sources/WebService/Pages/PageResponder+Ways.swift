import HTTPTypes
import Messages
import ServiceRuntime

/// The ways in to the pages that are for everyone (G-32; `PageWay`), before the page's own work:
///
///     GET                              the form of the first way, with the others as buttons
///     POST way=WAY                     the form of another one
///     POST email=…                     has a link mailed
///     POST email=… password=…          signs in
///     POST phone_number=…              has a code sent, and asks for it
///     POST code=…                      signs in, to an account that exists
///     POST send=phone                  has another code sent
///
/// A sign-in may ask for a second proof (`PageResponder+Proof.swift`). It leads to the page itself
/// (303) with a brief session in the cookie; with the mailed link of an archive, to the archive.
///
/// Attack: the page tells which numbers have accounts. A code is sent to each number, and only the
/// holder of the number learns whether it has one.
extension PageResponder {
    /// Opens a page without a link.
    func openWays(_ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit) async throws {
        guard visit.session != nil else { return try await showWays(exchange, page, visit) }
        switch page {
        case .deleteAccount: try await showConsequences(exchange, visit)
        default: try await showExport(exchange, visit)
        }
    }

    /// Shows the form of a way in.
    /// - Parameters:
    ///   - email: What was typed.
    ///   - problem: Why an attempt failed; nil before one.
    func showWays(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, email: String = "",
        after problem: ServiceError? = nil
    ) async throws {
        try await showWays(
            exchange, page, visit, email: email,
            problem: problem.map { self.problem($0, exchange, visit) },
            status: problem.map(Self.status) ?? .ok, retryAfter: problem?.retryAfterSeconds)
    }

    /// The same, with what is wrong in words.
    func showWays(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, email: String,
        problem: PageProblem?, status: HTTPResponse.Status, retryAfter: Int64? = nil
    ) async throws {
        let app = await options.current()
        let ways = app.ways(to: page, visit.link)
        guard !ways.isEmpty || visit.linkToken.isEmpty else {
            return try await show(
                exchange, page, .sessionNeeded(continueURI: visit.continueURI), visit, status: .ok)
        }
        let chosen = visit.way.flatMap { ways.contains($0) ? $0 : nil } ?? ways.first
        let form = PageWaysForm(
            chosen: chosen, others: ways.filter { $0 != chosen },
            email: email.isEmpty ? visit.link.email : email, number: visit.phone?.number ?? "",
            isSent: visit.phone?.request.isEmpty == false, hasProviders: app.hasProviders,
            sendsArchive: !visit.linkToken.isEmpty)
        try await show(
            exchange, page,
            .ways(
                token: PageForm(visit, randomness: randomness).token, form: form,
                problem: problem), visit, status: status, retryAfter: retryAfter)
    }

    /// Answers a form of a page that is for everyone.
    func submitByWay(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, _ form: PageForm,
        _ parameters: FormParameters
    ) async throws {
        let sent = PageWay(of: parameters)
        guard !visit.opens(page) else {
            // A form of the sign-in that was sent again is no step of a deletion.
            guard sent == nil || visit.session == nil else {
                return try await openWays(exchange, page, visit)
            }
            return page == .deleteAccount
                ? try await delete(exchange, visit, form, parameters)
                : try await work(exchange, visit, form, parameters)
        }
        var visit = visit
        if let chosen = parameters[PageWay.field].flatMap(PageWay.init(rawValue:)) {
            (visit.way, visit.phone) = (chosen, nil)
            return try await showWays(exchange, page, visit)
        }
        guard let way = sent, await options.current().ways(to: page, visit.link).contains(way)
        else { return try await showWays(exchange, page, visit) }
        visit.way = way
        switch way {
        case .mail:
            let email = (parameters[Page.Field.email.rawValue] ?? "").trimmingSpaces
            try await submit(exchange, page, visit, form, email)
        case .password: try await signIn(exchange, page, visit, form, parameters)
        case .phone: try await signInByPhone(exchange, page, visit, form, parameters)
        }
    }

    private func submission(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, _ form: PageForm,
        _ input: String
    ) -> PageCalls.Submission {
        PageCalls.Submission(
            page: page, form: form, linkToken: visit.linkToken, input: input,
            client: client(of: exchange), language: language(exchange, visit))
    }

    private func signIn(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, _ form: PageForm,
        _ parameters: FormParameters
    ) async throws {
        let email = (parameters[Page.Field.email.rawValue] ?? "").trimmingSpaces
        let submission = submission(exchange, page, visit, form, email)
        let signedIn: (session: PageSession, email: String)
        do {
            // With a link its session ends with this response, so a form that is sent twice is two.
            signedIn = try await calls.signIn(
                submission, parameters[Page.Field.password.rawValue] ?? "",
                isRepeatable: visit.linkToken.isEmpty)
        } catch let error as ServiceError {
            var visit = visit
            // The password was right: from here on the page says whose account it is.
            if error.secondProof != nil, visit.linkToken.isEmpty { visit.link.email = email }
            return try await fail(exchange, page, visit, error, email)
        }
        try await goIn(exchange, page, visit, signedIn, submission)
    }

    private func signInByPhone(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, _ form: PageForm,
        _ parameters: FormParameters
    ) async throws {
        var visit = visit
        let signedIn: (session: PageSession, email: String)
        let submission: PageCalls.Submission
        do {
            let typed = parameters[Page.Field.number.rawValue]?.trimmingSpaces
            guard let phone = visit.phone, !phone.request.isEmpty, typed == nil,
                parameters[PageProofForm.sendField] == nil
            else {
                let number = String(
                    (typed ?? visit.phone?.number ?? "").prefix(Self.numberCharactersMax))
                // A code that was sent before can still be typed.
                if visit.phone?.number != number {
                    visit.phone = PagePhone(number: number, request: "")
                }
                visit.phone = PagePhone(
                    number: number,
                    request: try await calls.requestCode(
                        self.submission(exchange, page, visit, form, number)))
                return try await showWays(exchange, page, visit)
            }
            let code = parameters[Page.Field.code.rawValue] ?? ""
            submission = self.submission(exchange, page, visit, form, code)
            signedIn = try await calls.signIn(submission, by: phone)
        } catch let error as ServiceError {
            return try await fail(exchange, page, visit, error, "")
        }
        try await goIn(exchange, page, visit, signedIn, submission)
    }

    /// The longest number that is kept, in characters: E.164 has 15 digits, and people add spaces.
    private static var numberCharactersMax: Int { 32 }

    /// Goes on with the page's work after a sign-in.
    func goIn(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit,
        _ signedIn: (session: PageSession, email: String), _ submission: PageCalls.Submission
    ) async throws {
        guard page == .yourData, !visit.linkToken.isEmpty else {
            return try enter(exchange, page, visit, signedIn)
        }
        try await sendArchive(exchange, visit, signedIn.session, submission)
    }

    /// Shows the ways in again, after a session has ended, or its proof has become too old.
    func signInAgain(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, after error: ServiceError
    ) async throws {
        var visit = visit
        let email = visit.link.email
        (visit.session, visit.link) = (nil, .unknown)
        try await showWays(exchange, page, visit, email: email, after: error)
    }
}
