import Addresses
import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// Counts a guess at a code in every flow that takes one. It is charged before the code
    /// is compared, so that parallel guesses cannot pass the limit. The subjects are the number
    /// that the caller names, which the identity service compares with the number that the code was
    /// sent to, and the caller's address.
    ///
    ///     the identity service's answer           charge on the number   on the address
    ///     the code is right                       refunded               refunded
    ///     wrong, compared with a live code        stays                  stays
    ///     no such live code, or it has expired    refunded               stays
    ///     no answer in time, or we failed         refunded               stays
    ///     anything else                           refunded               refunded
    ///
    /// - Parameters:
    ///   - request: the id of the request that had the code sent, as the caller gives it.
    ///   - attempt: calls the identity service.
    /// - Returns: the identity service's response. The rate limiter has then been told that the
    ///   guess was right: the delays between codes start over, and the device is known.
    /// - Throws: as `charging`. A guess without a live code is `auth/invalid-verification-code`, as
    ///   is a wrong one.
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
            // The same error in both cases, so that it does not reveal which requests are live.
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
