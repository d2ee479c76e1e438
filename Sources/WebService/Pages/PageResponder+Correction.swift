import Contracts
import Cryptography
import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// `/correct-email` (G-02): for a person whose address was mistyped at the sign-up, so that no mail
/// came. It asks for the address that the account has, its password and the right address. The page
/// `/verify-email` leads here where its link does not work, and an app can.
///
/// With `enumeration: strict` the gateway refuses it: the page says beforehand that the person then
/// signs up again.
extension PageResponder {
    /// Answers a form of `visit`.
    func correct(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm, _ parameters: FormParameters
    ) async throws {
        let email = (parameters[Page.Field.email.rawValue] ?? "").trimmingSpaces
        let newEmail = (parameters[Page.Field.newEmail.rawValue] ?? "").trimmingSpaces
        let language = language(exchange, visit)
        do {
            try await calls.correct(
                email, to: newEmail, by: parameters[Page.Field.password.rawValue] ?? "",
                PageCalls.Submission(
                    page: .correctEmail, form: form, linkToken: "", input: newEmail,
                    client: client(of: exchange), language: language))
            try await show(
                exchange, .correctEmail, .done(continueURI: visit.continueURI), visit, status: .ok)
        } catch let error as ServiceError {
            let token = PageForm(visit, randomness: randomness).token
            let problem = PageProblem(error, in: formalLanguages.voice(of: language))
            try await show(
                exchange, .correctEmail,
                .form(token: token, email: email, newEmail: newEmail, problem: problem), visit,
                status: Self.status(error), retryAfter: error.retryAfterSeconds)
        }
    }
}

extension PageCalls {
    /// Corrects an address. Another password or another former address in the same form is another
    /// call.
    /// - Throws: the gateway's `ServiceError`; `CancellationError`.
    func correct(
        _ email: String, to newEmail: String, by password: String, _ submission: Submission
    ) async throws {
        _ = try await emails.correctEmail(
            GatewayV1.CorrectEmailRequest(
                email: email, password: SecretBytes(password), newEmail: newEmail,
                device: submission.device),
            context(submission, "correct \(email) \(password)"))
    }
}
