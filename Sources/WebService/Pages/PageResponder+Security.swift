import Addresses
import Cryptography
import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// `/security` (F-03; its passkeys: `PageResponder+Passkeys.swift`):
///
///     GET                       the form, with address and password; or the list
///     POST email=… password=…   signs in, and leads to the list (303)
///     POST act=begin            the picture and the secret of an authenticator app
///     POST act=confirm code=…   adds the app; with the first one, the recovery codes, once
///     POST ask=FACTOR           asks whether to remove it
///     POST act=remove factor=…  removes it
///     POST act=codes            makes other recovery codes, once
///     POST act=sign-out         ends the session
///
/// Its session is a brief one, in the cookie (`PageSession`). A change whose proof is too old asks
/// for another one: the form has `kind`, and the change in its hidden fields.
extension PageResponder {
    /// What a form of `/security` is answered with.
    struct Work {
        let exchange: HTTPExchange
        var visit: PageVisit
        var session: PageSession
        let form: PageForm
        let parameters: FormParameters
    }

    /// The longest name of an app or a passkey, in bytes.
    static let nameBytesMax = 64

    // MARK: In and out

    /// Shows the list, or the form before it.
    func openSecurity(_ exchange: HTTPExchange, _ visit: PageVisit) async throws {
        guard let session = visit.session else {
            let takesPasswords = await options.current().takesPasswords
            let hasWayIn: Bool
            if takesPasswords {
                hasWayIn = true
            } else {
                hasWayIn = await takesPasskeys(exchange, .security)
            }
            return try await show(
                exchange, .security, hasWayIn ? form(.security, visit) : .switchedOff, visit,
                status: .ok)
        }
        try await showFactors(exchange, visit, session)
    }

    /// Leads to the page itself after a sign-in. A reload then sends no password again.
    func enter(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit,
        _ signedIn: (session: PageSession, email: String)
    ) throws {
        var visit = visit
        (visit.challenge, visit.phone) = (nil, nil)
        // There is no room for a URI beside a session.
        visit.continueURI = ""
        visit.session = signedIn.session
        visit.link.email = signedIn.email.isEmpty ? visit.link.email : signedIn.email
        var head = HTTPResponse(status: .seeOther, headerFields: Self.fields)
        head.headerFields[.location] = page.path
        head.headerFields.append(try cookieField(exchange, page, visit))
        exchange.respond(head)
    }

    private func signIn(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm, _ parameters: FormParameters
    ) async throws {
        if let credential = parameters[Page.Field.credential.rawValue] {
            return try await signInByPasskey(exchange, visit, form, credential)
        }
        let email = (parameters[Page.Field.email.rawValue] ?? "").trimmingSpaces
        do {
            let signedIn = try await calls.signIn(
                submission(exchange, visit, form, email),
                parameters[Page.Field.password.rawValue] ?? "", isRepeatable: true)
            try enter(exchange, .security, visit, signedIn)
        } catch let error as ServiceError {
            var visit = visit
            // The password was right: from here on the page says whose account it is.
            if error.secondProof != nil { visit.link.email = email }
            try await fail(exchange, .security, visit, error, email)
        }
    }

    /// The form, after a session has ended.
    private func leave(
        _ exchange: HTTPExchange, _ visit: PageVisit, after error: ServiceError
    ) async throws {
        var visit = visit
        let email = visit.link.email
        (visit.session, visit.link) = (nil, .unknown)
        try await fail(exchange, .security, visit, error, email)
    }

    func submission(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm, _ input: String
    ) -> PageCalls.Submission {
        PageCalls.Submission(
            page: .security, form: form, linkToken: "", input: input,
            client: client(of: exchange), language: language(exchange, visit))
    }

    // MARK: The list

    /// Shows the factors.
    /// - Parameters:
    ///   - codes: Recovery codes that were just made. They are shown even if the list cannot be
    ///     read: it is the only time.
    ///   - problem: Why a change failed; nil for none.
    func showFactors(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ session: PageSession,
        codes: [String] = [], notice: SecurityPage.Notice? = nil,
        after problem: ServiceError? = nil
    ) async throws {
        var page = SecurityPage(
            token: PageForm(visit, randomness: randomness).token, codes: codes,
            codesMadeAt: time.now(), notice: notice)
        var problem = problem
        do {
            let listed = try await calls.listFactors(
                session, client(of: exchange), language(exchange, visit))
            (page.factors, page.codesLeft) = (listed.factors, listed.codesLeft)
            if await options.current().passkeys != nil {
                (page.passkeys, page.signal) = try await calls.listPasskeys(
                    session, client(of: exchange), language(exchange, visit))
            }
        } catch let error as ServiceError where codes.isEmpty && error.endsPage {
            return try await leave(exchange, visit, after: error)
        } catch let error as ServiceError {
            problem = problem ?? error
        }
        page.problem = problem.map { self.problem($0, exchange, visit) }
        try await show(
            exchange, .security, .security(page), visit,
            status: codes.isEmpty ? problem.map(Self.status) ?? .ok : .ok,
            retryAfter: problem?.retryAfterSeconds)
    }

    // MARK: Changes

    /// Answers a form of `/security`.
    func change(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm, _ parameters: FormParameters
    ) async throws {
        guard let session = visit.session else {
            return try await signIn(exchange, visit, form, parameters)
        }
        let work = Work(
            exchange: exchange, visit: visit, session: session, form: form, parameters: parameters)
        // A form of the sign-in that was sent again, after a reload.
        guard let act = SecurityAct(parameters) else {
            return try await showFactors(exchange, visit, session)
        }
        do {
            guard let proved = try await proved(act, work) else { return }
            try await perform(act, proved)
        } catch let error as ServiceError where error.endsPage {
            try await leave(exchange, visit, after: error)
        } catch let error as ServiceError where error.code == .requiresRecentLogin {
            let takesPasskeys = await takesPasskeys(exchange, .security)
            let ways = error.acceptableProofs.compactMap(PageProofKind.init(rawValue:))
                .filter { $0.worksInSession && (takesPasskeys || $0 != .passkey) }
            guard let first = PageProofKind.allCases.first(where: ways.contains) else {
                // Only a new sign-in would do.
                return try await leave(exchange, visit, after: error)
            }
            try await askAgain(for: act, first, of: ways, work)
        } catch let error as ServiceError {
            try await showFactors(exchange, visit, session, after: error)
        }
    }

    private func perform(_ act: SecurityAct, _ work: Work) async throws {
        switch act {
        case .begin: try await begin(work)
        case .passkey(let act): try await perform(act, work)
        case .confirm(let setUp): try await confirm(setUp, work)
        case .ask(let id): try await ask(id, work)
        case .remove(let id):
            try await calls.remove(
                id, work.session, submission(work.exchange, work.visit, work.form, id))
            try await showFactors(work.exchange, work.visit, work.session, notice: .removed)
        case .makeCodes:
            let codes = try await calls.makeCodes(
                work.session, submission(work.exchange, work.visit, work.form, ""))
            try await showFactors(
                work.exchange, work.visit, work.session, codes: codes,
                notice: codes.isEmpty ? nil : .codesMade)
        case .signOut:
            await calls.signOut(
                work.session, submission(work.exchange, work.visit, work.form, ""))
            var visit = work.visit
            (visit.session, visit.link) = (nil, .unknown)
            try await show(
                work.exchange, .security, .done(continueURI: ""), visit, status: .ok)
        }
    }

    private func begin(_ work: Work) async throws {
        let setUp = try await calls.beginSetUp(
            work.session, client(of: work.exchange), language(work.exchange, work.visit))
        try await showSetUp(setUp, work)
    }

    private func showSetUp(
        _ setUp: PageSetUp, _ work: Work, after problem: ServiceError? = nil
    ) async throws {
        let listed = try await calls.listFactors(
            work.session, client(of: work.exchange), language(work.exchange, work.visit))
        let form = SetUpForm(
            token: PageForm(work.visit, randomness: randomness).token, setUp: setUp,
            sealed: try seal.seal(setUp, of: work.visit),
            name: work.parameters[Page.Field.name.rawValue], isFirst: listed.factors.isEmpty,
            problem: problem.map { self.problem($0, work.exchange, work.visit) })
        try await show(
            work.exchange, .security, .setUp(form), work.visit,
            status: problem.map(Self.status) ?? .ok, retryAfter: problem?.retryAfterSeconds)
    }

    /// Adds the app, or shows the form again: after a wrong code, and after the proof that it
    /// needed, since the code of before has changed.
    private func confirm(_ sealed: String, _ work: Work) async throws {
        guard let setUp = seal.setUp(sealed, of: work.visit) else {
            throw ServiceError(.invalidConfirmation)
        }
        let code = work.parameters[Page.Field.code.rawValue] ?? ""
        guard work.parameters[PageProofForm.kindField] == nil else {
            return try await showSetUp(setUp, work)
        }
        do {
            let name = work.parameters[Page.Field.name.rawValue] ?? ""
            let confirmed = try await calls.confirm(
                setUp, code: code, name: name.shortened(toBytes: Self.nameBytesMax),
                work.session,
                submission(work.exchange, work.visit, work.form, code))
            var visit = work.visit
            visit.session = confirmed.session
            try await showFactors(
                work.exchange, visit, confirmed.session, codes: confirmed.codes, notice: .added)
        } catch let error as ServiceError
            where error.code == .invalidCode || error.code == .tooManyRequests
        {
            try await showSetUp(setUp, work, after: error)
        }
    }

    private func ask(_ id: String, _ work: Work) async throws {
        let factors = try await calls.listFactors(
            work.session, client(of: work.exchange), language(work.exchange, work.visit)
        ).factors
        guard let factor = factors.first(where: { $0.id == id }) else {
            throw ServiceError(.notFound, fields: [SecurityAct.factorField])
        }
        try await show(
            work.exchange, .security,
            .removal(
                token: PageForm(work.visit, randomness: randomness).token, factor: factor,
                isLast: factors.count == 1), work.visit, status: .ok)
    }

    // MARK: Another proof

    /// Takes the proof that a change needs, if the form has one.
    /// - Returns: nil if the form that asks for it is shown instead: for another kind, or with what
    ///   is wrong.
    private func proved(_ act: SecurityAct, _ work: Work) async throws -> Work? {
        let parameters = work.parameters
        guard let kind = parameters[PageProofForm.kindField].flatMap(PageProofKind.init(rawValue:))
        else { return work }
        let ways = (parameters[PageProofForm.waysField] ?? "").split(separator: " ")
            .compactMap { PageProofKind(rawValue: String($0)) }
        if let other = parameters[PageProofForm.otherField].flatMap(PageProofKind.init(rawValue:)) {
            try await askAgain(for: act, other, of: ways, work)
            return nil
        }
        let typed = parameters[kind.field.rawValue] ?? ""
        guard kind.worksInSession else {
            throw ServiceError(.invalidArgument, fields: [PageProofForm.kindField])
        }
        var work = work
        do {
            work.session = try await calls.reauthenticate(
                by: kind.again(SecretBytes(typed)), work.session,
                submission(work.exchange, work.visit, work.form, typed))
        } catch let error as ServiceError where !error.endsPage {
            try await askAgain(for: act, kind, of: ways, work, after: error)
            return nil
        }
        work.visit.session = work.session
        return work
    }

    /// Asks for a proof, for a change.
    /// - Parameter problem: why an attempt failed; nil before one.
    private func askAgain(
        for act: SecurityAct, _ chosen: PageProofKind, of ways: [PageProofKind], _ work: Work,
        after problem: ServiceError? = nil
    ) async throws {
        let own = PageForm(work.visit, randomness: randomness)
        let prompt =
            chosen == .passkey
            ? await proofPrompt(
                "", on: own.device,
                context(work.exchange, work.visit).bearing(work.session.accessToken)) : nil
        let form = PageProofForm(
            ways: ways.filter(\.worksInSession).map { PageProofWay(kind: $0, hint: "") },
            chosen: chosen, act: act, mayBeginAgain: false, prompt: prompt)
        try await show(
            work.exchange, .security,
            .proof(
                token: own.token, form: form,
                problem: problem.map { self.problem($0, work.exchange, work.visit) }),
            work.visit, status: problem.map(Self.status) ?? .ok,
            retryAfter: problem?.retryAfterSeconds)
    }
}

extension ServiceError {
    /// Whether the session of a page is over.
    fileprivate var endsPage: Bool { code == .sessionEnded || code == .invalidAccessToken }
}

extension String {
    /// As many whole characters as fit.
    func shortened(toBytes max: Int) -> String {
        var shortened = ""
        for character in self {
            guard shortened.utf8.count + character.utf8.count <= max else { break }
            shortened.append(character)
        }
        return shortened
    }
}
