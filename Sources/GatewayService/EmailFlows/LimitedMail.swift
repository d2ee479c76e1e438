import Messages
import RPC
import ServiceRuntime

/// Counts a mail that somebody asks for; a repeat of the same call is counted once.
struct LimitedMail: Sendable {
    let limits: LimitGuard

    /// - Parameter asking: asks identity with `onward`.
    /// - Returns: identity's answer, and the charge.
    func run<Answer>(
        _ action: LimitedAction, language: String, _ context: CallContext, _ onward: CallContext,
        _ asking: () async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        try await limits.charging(
            action, context, language: language, chargedOnceFor: onward.idempotencyKey, asking)
    }
}
