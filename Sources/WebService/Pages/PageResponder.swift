import Addresses
import HTTPTypes
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// Answers the pages behind the links in mails.
///
///     GET  /verify-email?token=…&lang=de   303 to /verify-email, with a cookie that has both
///     GET  /verify-email                   what the link is about, with the form; or at once that
///                                          it does not work
///     POST /verify-email?lang=de           one call of the gateway, and its result as a page
///
/// `/delete-account` has more steps: `PageResponder+Deletion.swift`. `/your-data` answers with a
/// file: `PageResponder+Export.swift`. Both begin with the ways in that the installation has:
/// `PageResponder+Ways.swift`. `/correct-email` has more fields:
/// `PageResponder+Correction.swift`. `/parent` shows who asks: `PageResponder+Parent.swift`.
/// `/security` has a session: `PageResponder+Security.swift`, and a script for passkeys:
/// `PageResponder+Passkeys.swift`. A sign-in may ask for a second proof: `PageResponder+Proof.swift`.
///
/// A GET never uses a link, and no page sends its form by itself: scanners of mails open every
/// link, some in a browser that runs scripts, before the person sees the mail.
struct PageResponder: Sendable {
    /// Size limit of a form, in bytes: a password of 128 code points, percent-encoded, and the
    /// form's token; or the sealed set-up of an authenticator app; or what a browser answers for a
    /// passkey, with the attestation of an authenticator that sends one unasked.
    private static let bodyBytesMax = 16 * 1024
    /// A sealed visit with the longest URI, or with the longest access token; browsers keep 4,096
    /// bytes of a cookie with its name.
    private static let cookieBytesMax = 3_800

    let calls: PageCalls
    let callers: CallerCheck
    let apps: Reloadable<Apps>
    let theme: Reloadable<Theme>
    let options: CurrentAppOptions
    let seal: PageVisitSeal
    let randomness: any Randomness
    let time: any Time
    /// The origins at which clients reach this service; empty on this machine alone.
    let origins: [String]
    /// The languages whose pages address people formally.
    let formalLanguages: FormalLanguages

    /// Answers a request of a page.
    /// - Throws: `HTTPFailure`, `CancellationError`; `CryptographyError` when OpenSSL fails.
    func respond(to exchange: HTTPExchange, _ page: Page) async throws {
        switch exchange.head.method {
        case .get, .head: try await open(exchange, page)
        case .post: try await submit(exchange, page)
        default: throw HTTPFailure(allowing: "GET, HEAD, POST")
        }
    }

    // MARK: GET

    private func open(_ exchange: HTTPExchange, _ page: Page) async throws {
        let visit = visit(exchange, page)
        if let parameters = Self.parameters(exchange),
            parameters["token"] ?? parameters["lang"] ?? parameters["continue"] != nil
        {
            return try redirect(exchange, page, with: parameters, visit)
        }
        // Nothing is typed in vain: the calls of such a page are refused.
        if page.needsPasswords, await !options.current().takesPasswords {
            return try await show(exchange, page, .switchedOff, visit, status: .ok)
        }
        guard let current = visit ?? (page.needsLink ? nil : PageVisit(randomness)),
            !page.needsLink || !current.linkToken.isEmpty
        else { return try await show(exchange, page, .unusable, visit, status: .ok) }
        if let challenge = current.challenge {
            return try await showProof(exchange, page, current, challenge)
        }
        guard page != .security else { return try await openSecurity(exchange, current) }
        guard let purpose = page.linkPurpose, !current.linkToken.isEmpty else {
            guard !page.hasWays else { return try await openWays(exchange, page, current) }
            return try await show(exchange, page, form(page, current), current, status: .ok)
        }
        try await open(exchange, page, current, purpose)
    }

    /// Shows what the link of a visit is about, or that it does not work: at once, not after a
    /// password was typed.
    private func open(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit,
        _ purpose: GatewayV1.LinkPurpose
    ) async throws {
        var visit = visit
        do {
            visit.link = try await calls.describe(
                visit.linkToken, purpose, context(exchange, visit))
        } catch let error as ServiceError {
            return try await fail(exchange, page, visit, error, "")
        }
        guard visit.link.proof != .session || page.hasWays else {
            return try await show(
                exchange, page, .sessionNeeded(continueURI: visit.continueURI), visit, status: .ok)
        }
        switch page {
        case .deleteAccount: try await showConsequences(exchange, visit)
        case .yourData where visit.opens(page): try await showExport(exchange, visit)
        case .yourData: try await showWays(exchange, page, visit)
        case .parent: try await showParent(exchange, visit)
        default: try await show(exchange, page, form(page, visit), visit, status: .ok)
        }
    }

    /// The context of a call that needs no idempotency key: in the visit's session, if it has one.
    func context(_ exchange: HTTPExchange, _ visit: PageVisit) -> CallContext {
        let context = calls.context(of: client(of: exchange), in: language(exchange, visit))
        return visit.session.map { context.bearing($0.accessToken) } ?? context
    }

    /// Who asks.
    func client(of exchange: HTTPExchange) -> PageCalls.Client {
        let fields = exchange.head.headerFields
        return PageCalls.Client(
            address: callers.address(fields, exchange.client).text, agent: fields.clientAgent)
    }

    /// The parameters of the URL. Nil for a query that cannot be read: it has no link.
    private static func parameters(_ exchange: HTTPExchange) -> FormParameters? {
        FormParameters((exchange.query ?? "").utf8)
    }

    /// The language that a URL names, if the pages have it: the links in mails name the mail's.
    private static func language(_ parameters: FormParameters?) -> Language? {
        parameters?["lang"].flatMap(Language.init(tag:))
    }

    /// Moves what the link says into the cookie.
    private func redirect(
        _ exchange: HTTPExchange, _ page: Page, with parameters: FormParameters, _ old: PageVisit?
    ) throws {
        var visit = old ?? PageVisit(randomness)
        if let token = parameters["token"], token != visit.linkToken {
            // A new secret: a form of the former link must not be sent with this one's token. The
            // attack: a page sends the person to a link of the attacker's while a form is open.
            visit = PageVisit(randomness)
            visit.language = old?.language
            visit.linkToken = PageVisit.isLinkToken(token) ? token : ""
        }
        if let language = Self.language(parameters) { visit.language = language }
        // Beside a session there is no room for a URI.
        if let uri = parameters["continue"], page != .security, visit.session == nil {
            visit.continueURI = isRedirectURI(uri) ? uri : ""
        }
        var head = HTTPResponse(status: .seeOther, headerFields: Self.fields)
        head.headerFields[.location] = page.path
        head.headerFields.append(try cookieField(exchange, page, visit))
        exchange.respond(head)
    }

    /// Whether an app has the URI. The attack: a link to this trusted host leads to any other.
    private func isRedirectURI(_ uri: String) -> Bool {
        uri.utf8.count <= PageVisit.continueBytesMax
            && apps.value.all.contains { $0.redirectURIs.contains(uri) }
    }

    // MARK: POST

    private func submit(_ exchange: HTTPExchange, _ page: Page) async throws {
        let head = exchange.head
        guard PageForm.isOwn(head.headerFields, origin: origin(of: exchange)) else {
            return try await show(exchange, page, .foreign, nil, status: .forbidden)
        }
        let body = try await exchange.body(bytesMax: Self.bodyBytesMax)
        let parameters = try FormParameters.read(head.headerFields, body)
            .mapError { HTTPFailure(.badRequest, $0.reason) }.get()
        let field = page == .parent ? ParentAnswer.field : page.field?.rawValue
        let entered = field.flatMap { parameters[$0] } ?? ""
        // Keyboards of phones add a space after each suggestion.
        let email = (parameters[Page.Field.email.rawValue] ?? "").trimmingSpaces
        let input = page.field == .email ? email : entered
        guard let visit = visit(exchange, page), !page.needsLink || !visit.linkToken.isEmpty,
            let form = parameters[PageForm.field].flatMap({ PageForm(token: $0, of: visit) })
        else { return try await expired(exchange, page, email) }
        if let challenge = visit.challenge {
            return try await answer(exchange, page, visit, challenge, form, parameters)
        }
        guard page != .security else {
            return try await change(exchange, visit, form, parameters)
        }
        guard !page.hasWays else {
            return try await submitByWay(exchange, page, visit, form, parameters)
        }
        guard page != .correctEmail else {
            return try await correct(exchange, visit, form, parameters)
        }
        try await submit(exchange, page, visit, form, input)
    }

    /// Does what a form asks for by one call, and shows its result.
    func submit(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, _ form: PageForm,
        _ input: String
    ) async throws {
        let language = language(exchange, visit)
        do {
            let result = try await calls.submit(
                PageCalls.Submission(
                    page: page, form: form, linkToken: visit.linkToken, input: input,
                    client: client(of: exchange), language: language))
            try await show(
                exchange, page, .done(continueURI: visit.continueURI, result: result), visit,
                status: .ok)
        } catch let error as ServiceError where page == .parent && error.code != .invalidLink {
            try await showParent(exchange, visit, after: error)
        } catch let error as ServiceError {
            try await fail(exchange, page, visit, error, input)
        }
    }

    /// Shows what is wrong with a form that was sent, or what else is asked for.
    func fail(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit, _ error: ServiceError,
        _ input: String
    ) async throws {
        if let asked = error.secondProof {
            return try await askForProof(exchange, page, visit, asked)
        }
        var visit = visit
        guard error.code != .invalidLink else {
            (visit.linkToken, visit.link) = ("", .unknown)
            return try await show(exchange, page, .unusable, visit, status: .badRequest)
        }
        // The password may have been set since the link was described.
        if error.code == .passwordNeeded { visit.link.proof = .password }
        guard !page.hasWays || visit.opens(page) else {
            return try await showWays(exchange, page, visit, email: input, after: error)
        }
        let form = PageForm(visit, randomness: randomness)
        let problem = problem(error, exchange, visit)
        let state: PageState =
            switch page {
            case .deleteAccount: .consequences(token: "", sentences: [], problem: problem)
            case .yourData:
                .export(
                    ExportPage(
                        token: form.token, archive: .unknown, isSignedIn: visit.session != nil,
                        problem: problem))
            case .parent:
                .parent(
                    token: "", childName: "", isGiven: false, deletionAt: nil, problem: problem)
            default:
                .form(token: form.token, email: page.showsEmail ? input : "", problem: problem)
            }
        try await show(
            exchange, page, state, visit, status: Self.status(error),
            retryAfter: error.retryAfterSeconds)
    }

    /// The answer to a form whose visit is over.
    private func expired(
        _ exchange: HTTPExchange, _ page: Page, _ email: String
    ) async throws {
        guard !page.needsLink else {
            return try await show(exchange, page, .unusable, nil, status: .badRequest)
        }
        let visit = PageVisit(randomness)
        let problem = PageProblem(texts(exchange, page, nil)[.expired])
        guard !page.hasWays else {
            return try await showWays(
                exchange, page, visit, email: email, problem: problem, status: .badRequest)
        }
        let token = PageForm(visit, randomness: randomness).token
        try await show(
            exchange, page, .form(token: token, email: email, problem: problem), visit,
            status: .badRequest)
    }

    /// 422 for what the person can correct.
    static func status(_ error: ServiceError) -> HTTPResponse.Status {
        switch error.status.httpStatus {
        case .badRequest, .unauthorized, .forbidden, .notFound, .conflict: .unprocessableContent
        case let status: status
        }
    }

    // MARK: Responses

    func form(_ page: Page, _ visit: PageVisit) -> PageState {
        .form(token: PageForm(visit, randomness: randomness).token)
    }

    /// Sends a page, and renews its visit: ten minutes from now, or until its session ends.
    /// - Parameter signal: What the browser learns of passkeys beside what the state says.
    func show(
        _ exchange: HTTPExchange, _ page: Page, _ state: PageState, _ visit: PageVisit?,
        status: HTTPResponse.Status, retryAfter: Int64? = nil, signal: PasskeySignal? = nil
    ) async throws {
        var head = HTTPResponse(status: status, headerFields: Self.fields)
        head.headerFields[.contentType] = "text/html; charset=utf-8"
        let texts = texts(exchange, page, visit)
        head.headerFields[.contentLanguage] = texts.language.rawValue
        head.headerFields[.retryAfter] = retryAfter.map { "\($0)" }
        if let visit { head.headerFields.append(try cookieField(exchange, page, visit)) }
        let theme = theme.value
        var view = PageView(
            page, theme: theme, texts: texts, assets: PageAssets.path,
            app: await app(page, theme, exchange), link: visit?.link ?? .unknown)
        view.prompt = await signInPrompt(exchange, page, state, visit)
        view.signal = signal
        if view.hasScript(state) {
            head.headerFields[.contentSecurityPolicy] = Self.policy + "; script-src 'self'"
        }
        exchange.respond(head, ByteBuffer(string: view.document(state).text))
    }

    /// What is said of the app: the theme's name, else identity's, else the host that the browser
    /// asked, without its port. Identity is asked only for what a page needs.
    private func app(
        _ page: Page, _ theme: Theme, _ exchange: HTTPExchange
    ) async -> AppOptions {
        let asks =
            page.setsPassword || page.hasWays || page == .security
            || page.request?.needsPasswords == true
        guard theme.name.isEmpty || asks else {
            return AppOptions(name: theme.name)
        }
        var app = await options.current()
        app.takesPasskeys = await takesPasskeys(exchange, page)
        if !theme.name.isEmpty { app.name = theme.name }
        if app.name.isEmpty {
            app.name = (exchange.head.authority ?? "").replacing(/:[0-9]*$/, with: "")
        }
        return app
    }

    /// The language of the link, or the one that the person chose since; that of the form, if its
    /// visit is over; else the browser's.
    func language(_ exchange: HTTPExchange, _ visit: PageVisit?) -> Language {
        visit?.language ?? Self.language(Self.parameters(exchange))
            ?? Language(accepting: exchange.head.headerFields[.acceptLanguage])
    }

    private func texts(_ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit?) -> PageTexts {
        let language = language(exchange, visit)
        return PageTexts(page, in: language, isFormal: formalLanguages.contains(language))
    }

    /// No script, no frame, nothing of other hosts. `/security` alone has our script too.
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    /// The fields of every response: that policy; the token of a link goes nowhere.
    static let fields: HTTPFields = [
        .contentSecurityPolicy: policy,
        .known("referrer-policy"): "no-referrer", .cacheControl: "no-store",
    ]

    // MARK: The cookie

    private func cookie(_ exchange: HTTPExchange, _ page: Page) -> HostCookie {
        HostCookie(
            "postern-\(page.rawValue)",
            isPlainLoopback: CallerCheck.isPlainLoopback(exchange.head, exchange.client),
            valueBytesMax: Self.cookieBytesMax)
    }

    private func visit(_ exchange: HTTPExchange, _ page: Page) -> PageVisit? {
        cookie(exchange, page).value(in: exchange.head.headerFields)
            .flatMap { seal.open($0, of: page, at: time.now()) }
    }

    /// `Lax`: the person comes from a mail, often of a web mailer. After the redirect the browser
    /// would not send a `Strict` cookie, because another site began the navigation.
    func cookieField(
        _ exchange: HTTPExchange, _ page: Page, _ visit: PageVisit
    ) throws -> HTTPField {
        let now = time.now()
        return cookie(exchange, page).field(
            try seal.seal(visit, of: page, at: now), .lax,
            maxAge: Int(visit.life(at: now).components.seconds))
    }
}
