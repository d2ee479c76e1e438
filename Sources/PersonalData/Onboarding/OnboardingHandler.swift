import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.Onboarding`: the way through the sections of an app's onboarding (G-18).
/// Guests go the same way as accounts.
struct OnboardingHandler: OnboardingService, AccountCallsHandler {
    /// Keeps the drafts and what a completion writes.
    let documents: DocumentsHandler
    let answers: AccountAnswers

    var calls: AccountCalls { documents.calls }
    var store: Store { documents.store }

    /// Whether the account has completed onboarding.
    func hasCompletedOnboarding(
        _ request: GatewayV1.HasCompletedOnboardingRequest, _ call: AccountCall
    ) async throws -> GatewayV1.HasCompletedOnboardingResponse {
        try await store.read { session in
            let row = try session.callersRow(call.account)
            return .init(complete: try answers.facts(row, in: session).isOnboarded)
        }
    }
}
