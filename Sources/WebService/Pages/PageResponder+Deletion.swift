import Contracts
import Cryptography
import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// `/delete-account` with a link, or in a session after a sign-in (G-19, G-32; the ways in:
/// `PageResponder+Ways.swift`):
///
///     GET                    the consequences, with a button
///     POST                   the last question, with buttons for no, for later and for now; while
///                            there is an export without the last
///     POST choice=keep       nothing is done, and that is said; the session ends
///     POST choice=later|now  the deletion is requested, and its result is shown
///
/// The GET makes a call that changes nothing. The gateway's confirmation token is in the last form
/// only, so that no request without both steps deletes an account.
extension PageResponder {
    /// Shows the consequences.
    /// - Parameter problem: why the last step failed; nil for the first one.
    func showConsequences(
        _ exchange: HTTPExchange, _ visit: PageVisit, after problem: ServiceError? = nil
    ) async throws {
        do {
            let preview = try await preview(exchange, visit)
            let voice = formalLanguages.voice(of: language(exchange, visit))
            try await show(
                exchange, .deleteAccount,
                .consequences(
                    token: PageForm(visit, randomness: randomness).token,
                    sentences: preview.consequences.map(\.sentence),
                    problem: problem.map { PageProblem($0, in: voice) }),
                visit, status: problem.map(Self.status) ?? .ok,
                retryAfter: problem?.retryAfterSeconds)
        } catch let error as ServiceError where visit.session != nil && error.asksForSignIn {
            try await signInAgain(exchange, .deleteAccount, visit, after: error)
        } catch let error as ServiceError {
            try await fail(exchange, .deleteAccount, visit, error, "")
        }
    }

    /// Answers a form of `visit`, which has a link or a session.
    func delete(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm,
        _ parameters: FormParameters
    ) async throws {
        do {
            guard let text = parameters[DeletionChoice.field] else {
                return try await ask(exchange, visit)
            }
            // Nothing else may be taken for "now", which cannot be undone.
            guard let choice = DeletionChoice(rawValue: text) else {
                throw ServiceError(.invalidArgument, fields: [DeletionChoice.field])
            }
            guard choice != .keep else { return try await finish(exchange, visit, form, .kept) }
            let answer = try await calls.deletion.requestDeletion(
                GatewayV1.RequestDeletionRequest(
                    linkToken: SecretBytes(visit.linkToken),
                    confirmationToken: parameters[DeletionChoice.confirmationField] ?? "",
                    wait: choice == .later), context(exchange, visit))
            let waits = answer.deletion.flatMap(\.waitsUntil)
            try await finish(
                exchange, visit, form, waits.map { .waiting(until: $0) } ?? .deleted)
        } catch let error as ServiceError where visit.session != nil && error.asksForSignIn {
            try await signInAgain(exchange, .deleteAccount, visit, after: error)
        } catch let error as ServiceError where error.code == .invalidLink {
            try await fail(exchange, .deleteAccount, visit, error, "")
        } catch let error as ServiceError {
            try await showConsequences(exchange, visit, after: error)
        }
    }

    private func finish(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm, _ result: PageResult
    ) async throws {
        var visit = visit
        if let session = visit.session {
            await calls.signOut(
                session,
                PageCalls.Submission(
                    page: .deleteAccount, form: form, linkToken: "", input: "",
                    client: client(of: exchange), language: language(exchange, visit)))
            (visit.session, visit.link, visit.way) = (nil, .unknown, nil)
        }
        try await show(
            exchange, .deleteAccount, .done(continueURI: visit.continueURI, result: result), visit,
            status: .ok)
    }

    private func ask(_ exchange: HTTPExchange, _ visit: PageVisit) async throws {
        let preview = try await preview(exchange, visit)
        let wait = Duration.seconds(Int64(preview.waitSeconds))
        try await show(
            exchange, .deleteAccount,
            .lastQuestion(
                token: PageForm(visit, randomness: randomness).token,
                confirmation: preview.confirmationToken,
                onlyLater: preview.consequences.contains {
                    DeletionConsequence(rawValue: $0.kind)?.waitsAnyway ?? false
                },
                // One that waits already goes on with its time.
                due: preview.deletion.flatMap(\.waitsUntil) ?? time.now() + wait), visit,
            status: .ok)
    }

    private func preview(
        _ exchange: HTTPExchange, _ visit: PageVisit
    ) async throws -> GatewayV1.PreviewDeletionResponse {
        try await calls.deletion.previewDeletion(
            GatewayV1.PreviewDeletionRequest(linkToken: SecretBytes(visit.linkToken)),
            context(exchange, visit))
    }
}

extension GatewayV1.Deletion {
    /// When it begins, if it waits.
    fileprivate var waitsUntil: Timestamp? {
        state == .waiting ? Timestamp(milliseconds: dueAtMs) : nil
    }
}
