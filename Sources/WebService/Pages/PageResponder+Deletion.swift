import Contracts
import Cryptography
import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// `/delete-account` with the link of a mail (G-19):
///
///     GET                    the consequences, with a button
///     POST                   the last question, with a button for now and one for later; while
///                            there is an export only with the latter
///     POST choice=now|later  the deletion is requested, and its result is shown
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
            try show(
                exchange, .deleteAccount,
                .consequences(
                    token: PageForm(visit, randomness: randomness).token,
                    sentences: preview.consequences.map(\.sentence),
                    problems: problem.map { PageState.problems($0, in: voice) } ?? []),
                visit, status: problem.map(Self.status) ?? .ok,
                retryAfter: problem?.retryAfterSeconds)
        } catch let error as ServiceError {
            try fail(exchange, .deleteAccount, visit, error, "")
        }
    }

    /// Answers a form of `visit`, which has a link.
    func delete(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ parameters: FormParameters
    ) async throws {
        do {
            guard let text = parameters[DeletionChoice.field] else {
                return try await ask(exchange, visit)
            }
            // Nothing else may be taken for "now", which cannot be undone.
            guard let choice = DeletionChoice(rawValue: text) else {
                throw ServiceError(.invalidArgument, fields: [DeletionChoice.field])
            }
            let answer = try await calls.deletion.requestDeletion(
                GatewayV1.RequestDeletionRequest(
                    linkToken: SecretBytes(visit.linkToken),
                    confirmationToken: parameters[DeletionChoice.confirmationField] ?? "",
                    wait: choice == .later), context(exchange, visit))
            let waits = answer.deletion?.state == .waiting
            try show(
                exchange, .deleteAccount,
                .done(continueURI: visit.continueURI, result: waits ? .waiting : .deleted), visit,
                status: .ok)
        } catch let error as ServiceError where error.code == .invalidLink {
            try fail(exchange, .deleteAccount, visit, error, "")
        } catch let error as ServiceError {
            try await showConsequences(exchange, visit, after: error)
        }
    }

    private func ask(_ exchange: HTTPExchange, _ visit: PageVisit) async throws {
        let preview = try await preview(exchange, visit)
        try show(
            exchange, .deleteAccount,
            .lastQuestion(
                token: PageForm(visit, randomness: randomness).token,
                confirmation: preview.confirmationToken,
                onlyLater: preview.consequences.contains {
                    $0.kind == DeletionConsequence.export.rawValue
                }), visit, status: .ok)
    }

    private func preview(
        _ exchange: HTTPExchange, _ visit: PageVisit
    ) async throws -> GatewayV1.PreviewDeletionResponse {
        try await calls.deletion.previewDeletion(
            GatewayV1.PreviewDeletionRequest(linkToken: SecretBytes(visit.linkToken)),
            context(exchange, visit))
    }
}
