import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport

extension StoryFixture {
    /// A new account with a verified address, in the app in which it signed up.
    func verified(_ person: Person) async throws -> (app: SignedInApp, account: String) {
        let signedUp = try await signUp(person)
        let app = SignedInApp(self, person, signedUp.session)
        let token = try await linkToken(to: person.email, page: "verify-email")
        _ = try await backend.auth.verifyEmail(
            .init(token: token, device: person.gatewayDevice), app.context())
        return (app, signedUp.account?.accountId ?? "")
    }
}

extension SignedInApp {
    /// The consequences, and the token that confirms that they were shown.
    func preview(language: String? = nil) async throws -> GatewayV1.PreviewDeletionResponse {
        try await backend.deletion.previewDeletion(.init(), context(language: language))
    }

    /// Both steps of a deletion: the consequences, and the request.
    @discardableResult
    func delete(wait: Bool = false) async throws -> GatewayV1.Deletion {
        let token = try await preview().confirmationToken
        let answer = try await backend.deletion.requestDeletion(
            .init(confirmationToken: token, wait: wait), context())
        return answer.deletion ?? .init()
    }

    /// Where the deletion of the account stands.
    func deletion() async throws -> GatewayV1.Deletion {
        try await backend.deletion.getDeletion(.init(), context()).deletion ?? .init()
    }

    /// Whether the session's token says that the account no longer exists; waits for it.
    func isToldGone() async throws -> Bool {
        try await eventually {
            let state = try await retried { try await self.state() }
            return !state.authenticated && state.reason == .accountDeleted
        }
    }
}
