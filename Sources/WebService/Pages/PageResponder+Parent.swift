import Contracts
import Cryptography
import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// `/parent` with the link of a mail (G-23):
///
///     GET                        who asks, with a button for each answer
///     POST answer=give|refuse    the answer is recorded, and its result is shown
///
/// The GET makes a call that changes nothing: a scanner that opens the link gives no consent.
extension PageResponder {
    /// Shows what the link is about.
    /// - Parameter problem: why an answer failed; nil before one.
    func showParent(
        _ exchange: HTTPExchange, _ visit: PageVisit, after problem: ServiceError? = nil
    ) async throws {
        do {
            let language = language(exchange, visit)
            let shown = try await calls.consents.answerParentalConsent(
                GatewayV1.AnswerParentalConsentRequest(token: SecretBytes(visit.linkToken)),
                context(exchange, visit))
            guard shown.state != .refused else {
                return try show(
                    exchange, .parent, .done(continueURI: "", result: .refused), visit, status: .ok)
            }
            let voice = formalLanguages.voice(of: language)
            try show(
                exchange, .parent,
                .parent(
                    token: PageForm(visit, randomness: randomness).token,
                    childName: shown.childName, isGiven: shown.state == .given,
                    problems: problem.map { PageState.problems($0, in: voice) } ?? []),
                visit, status: problem.map(Self.status) ?? .ok,
                retryAfter: problem?.retryAfterSeconds)
        } catch let error as ServiceError {
            try fail(exchange, .parent, visit, error, "")
        }
    }
}

extension ParentAnswer {
    /// The answer in a message.
    var message: GatewayV1.ParentalAnswer {
        switch self {
        case .give: .give
        case .refuse: .refuse
        }
    }
}
