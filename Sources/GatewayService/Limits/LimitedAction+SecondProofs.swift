import Contracts
import Messages

/// Second proofs of sign-ins.
extension LimitedAction {
    /// Charged before a second proof is compared, beside the limits of its own kind. It is all that
    /// bounds kinds which have none.
    static func secondProof(caller: LimitedCaller) -> LimitedAction {
        LimitedAction(.passwordSignIn, .guess, [byAddress(.secondProofByAddress, caller)])
    }

    /// Charged before a code is sent for a second proof, beside the limits on its number.
    static func challengeCode(account: String) -> LimitedAction {
        LimitedAction(.phoneCode, .act, [LimitName.challengeCodeByAccount.charge(account)])
    }

    /// A guess at a mailed code. It counts only if it was compared, as for a code to a phone.
    static func mailedCodeGuess(account: String) -> LimitedAction {
        LimitedAction(
            .phoneCode, .guess, [LimitName.mailedCodeGuess.charge(account)],
            guessedAt: "mailed code|\(account)", countsCompared: [.mailedCodeGuess])
    }

    /// A guess at a code of an authenticator app. Attack: a guess is cancelled before its answer, so
    /// that it does not count, and its challenge tells afterwards whether it was right. So it counts
    /// without an answer too.
    static func totpGuess(account: String, after lane: TOTPLane, device: String) -> LimitedAction {
        LimitedAction(
            .passwordSignIn, .guess, [ofApp(account, lane, device)],
            guessedAt: "authenticator app|\(account)")
    }

    /// The charge to an account's limit on wrong codes of authenticator apps. The account's known
    /// devices are recorded under the same account.
    static func ofApp(
        _ account: String, _ lane: TOTPLane, _ device: String
    ) -> RateLimitV1.Charge {
        LimitName.totpGuess.charge(lane.subject(of: account), device: device)
    }
}
