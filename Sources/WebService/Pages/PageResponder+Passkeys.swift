import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// Passkeys on `/security` (F-01). The script puts what the browser answers into `credential`:
///
///     POST credential=…                    signs in, without an address
///     POST act=passkey-begin               the form that adds one, with the options of a prompt
///     POST act=passkey-add credential=…    adds it
///     POST rename=PASSKEY                  asks for another name
///     POST act=passkey-rename name=…       gives it that name
///     POST discard=PASSKEY                 asks whether to remove it
///     POST act=passkey-remove              removes it, and signs all other devices out
///
/// Identity compares the origin that the browser says with the operator's list. What is compared here
/// only decides which pages have the script.
extension PageResponder {
    // MARK: Prompts

    /// Whether passkeys work on a page, at the origin that the browser asked.
    func takesPasskeys(_ exchange: HTTPExchange, _ page: Page) async -> Bool {
        guard page == .security else { return false }
        return await options.current().passkeys?.work(at: origin(of: exchange)) ?? false
    }

    /// The origin that the browser asked, as the settings write it.
    func origin(of exchange: HTTPExchange) -> String {
        WellKnownResponder.origin(
            exchange.head.authority ?? "", isTLS: exchange.client.isTLS, among: origins)
    }

    /// The prompt of a form that signs in; nil for another one. Without it a password is enough.
    func signInPrompt(
        _ exchange: HTTPExchange, _ page: Page, _ state: PageState, _ visit: PageVisit?
    ) async -> PasskeyPrompt? {
        guard case .form = state, let visit, await takesPasskeys(exchange, page) else { return nil }
        // Of a failure the person needs to know nothing: the form has its fields.
        return try? await calls.beginPasskeySignIn(context(exchange, visit))
    }

    /// The prompt of a proof.
    /// - Parameter challenge: Of a sign-in; empty in a session.
    func proofPrompt(
        _ challenge: String, on device: GatewayV1.Device, _ context: CallContext
    ) async -> PasskeyPrompt? {
        // The form then says that there is no prompt, and has the other ways.
        try? await calls.beginPasskeyProof(challenge, on: device, context)
    }

    // MARK: A sign-in

    /// Signs in by what the browser has signed. It tells the browser of a passkey that no account
    /// has.
    func signInByPasskey(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm, _ credential: String
    ) async throws {
        var credentialID = ""
        do {
            let assertion = try PasskeyJSON.assertion(credential)
            credentialID = assertion.id
            let signedIn = try await calls.signIn(
                submission(exchange, visit, form, credential), by: assertion)
            try enter(exchange, .security, visit, signedIn)
        } catch let error as ServiceError where error.code == .unknownPasskey {
            let domain = await options.current().passkeys?.domain
            try await show(
                exchange, .security,
                .form(
                    token: PageForm(visit, randomness: randomness).token,
                    problem: problem(error, exchange, visit)),
                visit, status: Self.status(error),
                signal: domain.map { PasskeySignal.unknown(credentialID, of: $0) })
        } catch let error as ServiceError {
            try await fail(exchange, .security, visit, error, "")
        }
    }

    // MARK: Changes

    /// Does what a form asks for.
    func perform(_ act: PasskeyAct, _ work: Work) async throws {
        switch act {
        case .begin: try await beginPasskey(work)
        case .add: try await addPasskey(work)
        case .askName(let id):
            try await show(.name(try await passkey(id, work)), work)
        case .rename(let id): try await renamePasskey(id, work)
        case .askRemoval(let id):
            try await show(.removal(try await passkey(id, work)), work)
        case .remove(let id):
            try await calls.removePasskey(
                id, work.session, submission(work.exchange, work.visit, work.form, id))
            try await showFactors(
                work.exchange, work.visit, work.session, notice: .passkeyRemoved)
        }
    }

    private func show(
        _ question: PasskeyPage.Question, _ work: Work, after error: ServiceError? = nil
    ) async throws {
        let page = PasskeyPage(
            token: PageForm(work.visit, randomness: randomness).token, question: question,
            problem: error.map { problem($0, work.exchange, work.visit) })
        try await show(
            work.exchange, .security, .passkey(page), work.visit,
            status: error.map(Self.status) ?? .ok, retryAfter: error?.retryAfterSeconds)
    }

    private func passkey(_ id: String, _ work: Work) async throws -> SecurityPage.Passkey {
        let listed = try await calls.listPasskeys(
            work.session, client(of: work.exchange), language(work.exchange, work.visit))
        guard let passkey = listed.passkeys.first(where: { $0.id == id }) else {
            throw ServiceError(.notFound, fields: [PasskeyAct.passkeyField])
        }
        return passkey
    }

    private func name(_ work: Work) -> String {
        (work.parameters[Page.Field.name.rawValue] ?? "").trimmingSpaces
            .shortened(toBytes: Self.nameBytesMax)
    }

    private func beginPasskey(_ work: Work, after error: ServiceError? = nil) async throws {
        let prompt = try await calls.beginPasskeyAdd(
            work.session, client(of: work.exchange), language(work.exchange, work.visit))
        try await show(.adding(prompt, name: name(work)), work, after: error)
    }

    /// Adds the passkey, or shows the form again: after a refusal, and after the proof that it
    /// needed, which has no answer of the browser.
    private func addPasskey(_ work: Work) async throws {
        guard let credential = work.parameters[Page.Field.credential.rawValue],
            work.parameters[PageProofForm.kindField] == nil
        else { return try await beginPasskey(work) }
        do {
            let codes = try await calls.add(
                PasskeyJSON.registration(credential), name: name(work), work.session,
                submission(work.exchange, work.visit, work.form, credential))
            try await showFactors(
                work.exchange, work.visit, work.session, codes: codes, notice: .passkeyAdded)
        } catch let error as ServiceError
            where error.code == .invalidPasskey || error.code == .tooManyRequests
            || error.code == .invalidArgument
        {
            try await beginPasskey(work, after: error)
        }
    }

    /// Renames it, or asks for the name: after the proof that it needed the form has none.
    private func renamePasskey(_ id: String, _ work: Work) async throws {
        let name = name(work)
        guard !name.isEmpty, work.parameters[PageProofForm.kindField] == nil else {
            return try await show(.name(try await passkey(id, work)), work)
        }
        do {
            try await calls.rename(
                id, name: name, work.session,
                submission(work.exchange, work.visit, work.form, "\(id) \(name)"))
            try await showFactors(
                work.exchange, work.visit, work.session, notice: .passkeyRenamed)
        } catch let error as ServiceError
            where error.code == .invalidArgument || error.code == .tooManyRequests
        {
            try await show(.name(try await passkey(id, work)), work, after: error)
        }
    }
}
