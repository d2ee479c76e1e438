import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// Charges `action`, then runs `act`. The charge comes first, so that parallel attempts cannot
    /// pass the limit. If `act` fails, `ChargeSettlement` decides whether the charge stays. All
    /// charged flows use this function, except `countingUnrequestedMail(to:)`: if the limit refuses
    /// there, only the mail is omitted.
    /// - Parameters: as for `begin`.
    /// - Returns: the result of `act`, and the charge, which stays until it is refunded or
    ///   succeeds.
    /// - Throws: as `begin`, and the errors of `act`.
    func charging<Answer>(
        _ action: LimitedAction, _ context: CallContext, chargedOnceFor key: String? = nil,
        _ act: () async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        let charge = try await begin(action, context, chargedOnceFor: key)
        return try await run(act, under: charge, of: action, context)
    }

    /// Runs `act`, which is charged, and settles the charge if it fails.
    private func run<Answer>(
        _ act: () async throws -> Answer, under charge: LimitCharge, of action: LimitedAction,
        _ context: CallContext
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        do {
            return (try await act(), charge)
        } catch let error as ServiceError {
            await settle(charge, of: action, after: error, context)
            throw error
        } catch {
            failed(charge)
            throw error
        }
    }

    /// Refunds the charge of a failed flow, in whole or in part, or lets it stay.
    func settle(
        _ charge: LimitCharge, of action: LimitedAction, after error: ServiceError,
        _ context: CallContext
    ) async {
        if error.code == .secondProofRequired, action.kind == .guess || action.kind == .token {
            return await hold(charge, context)
        }
        if ChargeSettlement(of: action.kind, after: error) == .refunded {
            return await refund(charge, context)
        }
        let spared = action.spared(by: error)
        if spared.isEmpty {
            failed(charge)
        } else {
            await refund(charge, context, only: spared)
        }
    }

    /// Counts a guess at an account's password in every flow that takes one: sign-in,
    /// re-authentication, changing the password. All flows share the limits. They are charged
    /// before the password is verified, so that parallel guesses cannot pass them.
    ///
    /// A right password has a limit too (`sign-in-by-account`), since each writes rows. It is
    /// charged inside of the guess, so that only guesses which their own limits allow hold a place
    /// there, and a wrong one gives it back.
    ///
    /// - Parameters:
    ///   - accounts: records the outcome of the guess, so that one without an answer is settled later
    ///     if it is from a known device (R-03, `UnsettledGuesses`); nil if it does not.
    ///   - attempt: calls the identity service, with the charge: `LimitCharge.guess` is its id for
    ///     that.
    /// - Returns: the identity service's response, and the charge, which stays until `succeed`
    ///   reports a right password.
    /// - Throws: as `charging`.
    func countingPasswordGuess<Answer>(
        email: String, device: String, settledBy accounts: (any AccountsAPI)? = nil,
        _ context: CallContext, _ attempt: (_ charge: LimitCharge) async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        let action = LimitedAction.signIn(
            email: email, device: device, caller: try LimitedCaller(context))
        let charge = try await begin(action, context, settledBy: accounts)
        return try await run(
            {
                try await countingRightPassword(of: email, under: charge, context) {
                    try await attempt(charge)
                }
            }, under: charge, of: action, context)
    }

    private func countingRightPassword<Answer>(
        of email: String, under charge: LimitCharge, _ context: CallContext,
        _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        // The identity service rejects text that is not an email.
        guard EmailAddress(email) != nil, charge.isMade else { return try await attempt() }
        return try await charging(.rightPassword(email: email), context, attempt).answer
    }

    /// Counts a guess at a code in every flow that takes one. It is charged before the code
    /// is compared, so that parallel guesses cannot pass the limit. The subjects are the number
    /// that the caller names, which the identity service compares with the number that the code was
    /// sent to, and the caller's address.
    ///
    ///     the identity service's answer           charge on the number   on the address
    ///     the code is right                       refunded               refunded
    ///     right, but a second proof is required   stays, until that      the same
    ///                                             is right
    ///     wrong, compared with a live code        stays                  stays
    ///     no such live code, or it has expired    refunded               stays
    ///     no answer in time, or we failed         refunded               stays
    ///     anything else                           refunded               refunded
    ///
    /// - Parameters:
    ///   - request: the id of the request that had the code sent, as the caller gives it.
    ///   - account: the account of a sign-in, in the response.
    ///   - attempt: calls the identity service, with the charge.
    /// - Returns: the identity service's response. The rate limiter has then recorded that the
    ///   guess was right: the delays between codes start over, and the device is known.
    /// - Throws: as `charging`. A guess without a live code is `auth/invalid-verification-code`, as
    ///   is a wrong one.
    func countingPhoneCode<Answer: Sendable>(
        _ number: PhoneNumber, request: String, device: String, _ context: CallContext,
        signedIn account: (Answer) -> GatewayV1.Account? = { _ in nil },
        _ attempt: (_ charge: LimitCharge) async throws -> Answer
    ) async throws -> Answer {
        do {
            let action = try LimitedAction.phoneCodeGuess(
                number: number.text, request: request, device: device,
                caller: LimitedCaller(context))
            let charge = try await begin(action, context)
            let answer = try await run(
                { try await attempt(charge) }, under: charge, of: action, context
            ).answer
            await succeed(
                charge, signedIn: account(answer), context,
                restartedCharges: action.restartedCharges)
            return answer
        } catch let error as ServiceError where error.isOfNoLiveCode {
            // The same error in both cases, so that it does not reveal which requests are live.
            throw ServiceError(.invalidCode, fields: ["code"])
        }
    }

    /// Counts a provider's token in every flow that takes one: sign-in, re-authentication, linking.
    /// It is charged before the token is verified, so that parallel attempts cannot pass the limit.
    /// The charge of a valid token is refunded; `ChargeSettlement` has the rule for the others
    ///
    ///
    /// A sign-in is counted by address and device only. The token names an identity, but only the
    /// identity service can verify that claim. A limit by identity would protect nothing, because a
    /// provider's signature cannot be guessed. Attack: the holder of an old token of another user
    /// would use such a limit to lock that user out. In an account's own session the account is
    /// known and has its own limit.
    ///
    /// - Parameters:
    ///   - account: the account of a sign-in, in the response.
    ///   - attempt: calls the identity service, with the charge.
    /// - Returns: the identity service's response.
    /// - Throws: as `charging`.
    func countingProviderToken<Answer>(
        _ action: LimitedAction, _ context: CallContext,
        signedIn account: (Answer) -> GatewayV1.Account? = { _ in nil },
        _ attempt: (_ charge: LimitCharge) async throws -> Answer
    ) async throws -> Answer {
        let charge = try await begin(action, context)
        let answer = try await run(
            { try await attempt(charge) }, under: charge, of: action, context
        ).answer
        await succeed(charge, signedIn: account(answer), context)
        return answer
    }

    /// Counts a signature by a passkey in every flow that takes one (F-01). An accepted one is
    /// refunded.
    /// - Parameters:
    ///   - account: the account of a sign-in, in the response.
    ///   - attempt: calls the identity service, with the charge.
    /// - Throws: as `charging`.
    func countingPasskey<Answer>(
        _ context: CallContext,
        signedIn account: (Answer) -> GatewayV1.Account? = { _ in nil },
        _ attempt: (_ charge: LimitCharge) async throws -> Answer
    ) async throws -> Answer {
        let action = LimitedAction.passkey(caller: try LimitedCaller(context))
        let charge = try await begin(action, context)
        let answer = try await run(
            { try await attempt(charge) }, under: charge, of: action, context
        ).answer
        await succeed(charge, signedIn: account(answer), context)
        return answer
    }

    /// Counts a second proof of a sign-in, of any kind, whose own limits are charged inside (F-03). A
    /// right one is refunded.
    /// - Throws: as `charging`.
    func countingSecondProof<Answer>(
        _ context: CallContext, _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        let (answer, charge) = try await charging(
            .secondProof(caller: LimitedCaller(context)), context, attempt)
        await refund(charge, context)
        return answer
    }

    /// Counts a mailed code as a second proof.
    /// - Throws: as `charging`; a guess without a live code as a wrong one.
    func countingMailedCode<Answer>(
        of account: String, _ context: CallContext, _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        do {
            let (answer, charge) = try await charging(
                .mailedCodeGuess(account: account), context, attempt)
            await succeed(charge, context)
            return answer
        } catch let error as ServiceError where error.isOfNoLiveCode {
            throw ServiceError(.invalidCode, fields: ["code"])
        }
    }

    /// Counts a code of an authenticator app, in every flow that takes one (F-03): it is charged
    /// before it is compared, so that parallel guesses cannot pass the limit.
    ///
    ///     the identity service's answer          charge
    ///     the code is right                      refunded; the lane starts over, the device is known
    ///     wrong                                  stays
    ///     no answer in time, or we failed        stays
    ///     it was not compared                    refunded
    ///
    /// - Parameter lane: The first proof, whose guesses are counted together.
    /// - Throws: as `charging`.
    func countingTOTPCode<Answer>(
        of account: String, after lane: TOTPLane, device: String, _ context: CallContext,
        _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        let (answer, charge) = try await charging(
            .totpGuess(account: account, after: lane, device: device), context, attempt)
        await succeed(charge, context)
        return answer
    }
}
