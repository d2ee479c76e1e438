import Messages
import PhoneNumbers
import RPC
import ServiceRuntime

/// Counts a guess at a code, whichever flow asks for it. Charged before the code is looked at,
/// so that parallel guesses cannot slip through; on the number that the caller names, which identity
/// compares with the one that the code was sent to.
struct CountedCode: Sendable {
    let limits: LimitGuard

    /// - Parameter attempt: asks identity.
    /// - Returns: identity's answer. The limiter knows then that the guess was right: the waits
    ///   between codes begin anew, and the device is known.
    func run<Answer: Sendable>(
        _ number: PhoneNumber, device: String, language: String, _ context: CallContext,
        _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        let action = LimitedAction.phoneCodeGuess(number: number.text, device: device)
        let (answer, charge) = try await limits.charging(
            action, context, language: language, attempt)
        await limits.succeed(charge, context, begunAnew: action.begunAnew)
        return answer
    }
}
