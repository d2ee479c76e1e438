import ServiceRuntime

/// The state of a code. Raw values of `Stage` are stored and never change.
struct PhoneCodeState: Hashable, Sendable {
    enum Stage: Int64, Sendable {
        /// It can be used.
        case live = 1
        /// A later request has replaced it.
        case void = 2
        /// It has been used.
        case used = 3
    }

    var stage: Stage
    /// Compared guesses that were wrong, plus the one that is being compared.
    var evaluated: Int
    let expiresAt: Timestamp
}

/// Decides whether a guess is compared, and its result (I-06, R-02). Pure:
///
///     code                         guess           result                            new state
///     none, or bound otherwise     any             auth/invalid-verification-code    –
///     live, 5 evaluated            any             auth/invalid-verification-code    –
///     live, expired                any             auth/code-expired                 –
///     live, fewer than 5           wrong           auth/invalid-verification-code    evaluated + 1
///     live, fewer than 5           right           accepted                          unchanged
///     live, fewer than 5           right, uses     accepted                          used
///                                  the code up
///     void                         any             auth/invalid-verification-code    –
///     used                         any             auth/invalid-verification-code    –
///     any of these, fewer than 5,  right           accepted: the stored response     unchanged
///     retry of the same call                       is returned (G-25)
///
/// A guess is counted before it is compared, in the same transaction, so that parallel guesses
/// cannot bypass the limit. A right guess is subtracted again.
///
/// The fifth wrong guess ends the code. A right sixth guess is rejected too, because the response
/// would otherwise confirm the code to an attacker.
enum PhoneCodeRule {
    /// Compared guesses for each code (Sources/SECURITY.md, Codes and links).
    static let evaluatedMax = 5

    /// What happens to a guess.
    enum Step: Hashable, Sendable {
        /// It is compared. The new state must be stored before the comparison.
        case compared(PhoneCodeState)
        /// It is rejected without a comparison.
        case refused(ErrorCode)
    }

    /// The step before a guess is compared.
    /// - Parameters:
    ///   - state: nil when there is no such code.
    ///   - isRepeat: the call is a retry with a stored response. It is answered even if its code
    ///     has been used, replaced or has expired since.
    static func guessed(_ state: PhoneCodeState?, isRepeat: Bool, at now: Timestamp) -> Step {
        guard var state, state.evaluated < evaluatedMax, isRepeat || state.stage == .live else {
            return .refused(.invalidCode)
        }
        guard isRepeat || now < state.expiresAt else { return .refused(.codeExpired) }
        state.evaluated += 1
        return .compared(state)
    }

    /// The state after a right guess.
    /// - Parameter counted: the state that `guessed` returned.
    static func right(_ counted: PhoneCodeState, isUsedUp: Bool) -> PhoneCodeState {
        var state = counted
        state.evaluated -= 1
        if isUsedUp { state.stage = .used }
        return state
    }
}
