import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountOnboarding`: the way through the sections of an app's onboarding
/// (G-18). Each rpc is in the file of its name: `getOnboarding`, `saveOnboardingSection`,
/// `restartOnboarding`, `completeOnboarding`. Guests go the same way as accounts.
struct AccountOnboardingHandler: AccountOnboardingService {
    /// Keeps the drafts and what a completion writes.
    let documents: DocumentsHandler
    let answers: AccountAnswers

    var store: Store { documents.store }

    /// The call of an account's owner.
    /// - Throws: as `SessionsAPI.validated`.
    func call(
        _ accessToken: String, from origin: IdentityV1.Origin? = nil, _ context: CallContext
    ) async throws -> AccountCall {
        let owner = try await documents.calls.sessions.validated(
            accessToken: accessToken, context)
        return AccountCall(
            account: owner.account, context: context,
            origin: CallOrigin(origin, hash: documents.keys.audit))
    }
}
