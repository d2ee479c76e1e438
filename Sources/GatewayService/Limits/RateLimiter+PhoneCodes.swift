import Messages
import PhoneNumbers
import RPC
import ServiceRuntime

extension RateLimiter {
    /// Counts a guess at a code, whichever flow asks for it. Charged before the code is looked at,
    /// so that parallel guesses cannot slip through; on the number that the caller names, which identity
    /// compares with the one that the code was sent to, and on the caller's address.
    ///
    ///     identity says                             number          address
    ///     the code is right                         is given back   is given back
    ///     wrong, compared with a live code of it    stands          stands
    ///     there is no such live code, or it expired is given back   stands
    ///     no answer in time, or we failed           is given back   stands
    ///     anything else                             is given back   is given back
    ///
    /// - Parameters:
    ///   - request: the id of the request that had the code sent, as the caller names it.
    ///   - attempt: asks identity.
    /// - Returns: identity's answer. The limiter knows then that the guess was right: the waits
    ///   between codes begin again, and the device is known.
    func countingPhoneCode<Answer: Sendable>(
        _ number: PhoneNumber, request: String, device: String, language: String,
        _ context: CallContext, _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await countingCode(
                .phoneCodeGuess(
                    number: number.text, request: request, device: device,
                    caller: LimitedCaller(context)),
                language: language, context, attempt)
        } catch let error as ServiceError where error.isOfNoLiveCode {
            // One answer for both: which requests live is nobody's to learn.
            throw ServiceError(.invalidCode, fields: ["code"])
        }
    }

    private func countingCode<Answer: Sendable>(
        _ action: LimitedAction, language: String, _ context: CallContext,
        _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        let (answer, charge) = try await charging(
            action, context, language: language, attempt)
        await succeed(charge, context, begunAnew: action.begunAnew)
        return answer
    }
}
