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
                return try await show(
                    exchange, .parent, .done(continueURI: "", result: shown.result), visit,
                    status: .ok)
            }
            let voice = formalLanguages.voice(of: language)
            try await show(
                exchange, .parent,
                .parent(
                    token: PageForm(visit, randomness: randomness).token,
                    childName: shown.childName, isGiven: shown.state == .given,
                    deletionAt: shown.deletionAt,
                    problem: problem.map { PageProblem($0, in: voice) }),
                visit, status: problem.map(Self.status) ?? .ok,
                retryAfter: problem?.retryAfterSeconds)
        } catch let error as ServiceError {
            try await fail(exchange, .parent, visit, error, "")
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

extension GatewayV1.AnswerParentalConsentResponse {
    /// When the deletion of the account begins; nil if that is not known, or has been.
    fileprivate var deletionAt: Timestamp? {
        deletionAtMs > 0 ? Timestamp(milliseconds: deletionAtMs) : nil
    }

    /// What the page has done.
    var result: PageResult {
        guard state == .refused else { return .done }
        return deletionAt.map { .withdrawn(until: $0) } ?? .refused
    }
}
