import IdentityService
package import Messages
import RPC
import ServiceRuntime
import Storage

extension DocumentsHandler {
    /// Sets whether an account has completed onboarding, for the app's backend (G-18). It stays so
    /// until the next completion.
    func setOnboarding(
        _ request: GatewayV1.SetOnboardingRequest, _ call: AccountCall
    ) async throws -> GatewayV1.SetOnboardingResponse {
        let event = AuditEvent(
            .onboardingSetByBackend, account: call.account.key, attempt: request.complete ? 1 : 0
        ).from(call.origin).by(call.backend?.actor)
        try await store.write(about: [.account(call.account)]) { [answers] transaction in
            guard let record = try transaction.onboardingRecord(call.account) else {
                throw ServiceError(.notFound, fields: ["call.account_id"])
            }
            guard record.isSet != request.complete else { return }
            try transaction.setOnboarding(request.complete, of: call.account)
            try transaction.audit(event)
            try ProfileCompletion(answers: answers).record(
                call.account, on: DeviceShown(nil, from: call.origin), from: call.origin,
                transaction)
        }
        return GatewayV1.SetOnboardingResponse()
    }
}

extension GatewayV1.SetOnboardingRequest: ListedPartsRequest {
    package var signedParts: [[UInt8]] { [Array((complete ? "true" : "false").utf8)] }
}
