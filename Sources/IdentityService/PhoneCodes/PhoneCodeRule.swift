import ServiceRuntime

/// Where a code stands. Raw values of `Stage` are stored and never change.
struct PhoneCodeState: Hashable, Sendable {
    enum Stage: Int64, Sendable {
        /// It can be used.
        case live = 1
        /// A later request took its place.
        case void = 2
        /// It has been used.
        case used = 3
    }

    var stage: Stage
    /// Guesses that were looked at and wrong, and the one that is being looked at.
    var evaluated: Int
    let expiresAt: Timestamp
}

/// When a code is looked at, and what is answered (I-06, R-02). Pure:
///
///     code                          guess            answer                             then
///     none, or bound otherwise      any              auth/invalid-verification-code     –
///     live, 5 evaluated             any              auth/invalid-verification-code     –
///     live, expired                 any              auth/code-expired                  –
///     live, fewer than 5            wrong            auth/invalid-verification-code     evaluated + 1
///     live, fewer than 5            right            taken                              as it was
///     live, fewer than 5            right, at once   taken                              used
///                                   used up
///     void                          any              auth/invalid-verification-code     –
///     used                          any              auth/invalid-verification-code     –
///     any of these, fewer than 5,   right            taken: the first answer is given   as it was
///     asked again by the same call                   again (G-25)
///
/// A guess is counted (`counted`) before it is compared, in one transaction with the comparison, so
/// that parallel guesses cannot slip through; a right one is not held against its owner after.
///
/// The fifth wrong guess ends the code; that the sixth is right changes nothing, or a guesser would
/// learn by the answer that it was.
enum PhoneCodeRule {
    /// Of one code (Sources/SECURITY.md, Codes and links).
    static let evaluatedMax = 5

    /// What is done with a guess.
    enum Step: Hashable, Sendable {
        /// It is compared; the state stands from before the comparison on.
        case compared(PhoneCodeState)
        /// It is not.
        case refused(ErrorCode)
    }

    /// Before a guess is compared.
    /// - Parameters:
    ///   - state: nil where there is no such code.
    ///   - isRepeat: the same call has been answered before; that its code has been used or replaced
    ///     since is no reason not to answer it again.
    static func guessed(_ state: PhoneCodeState?, isRepeat: Bool, at now: Timestamp) -> Step {
        guard var state, state.evaluated < evaluatedMax, isRepeat || state.stage == .live else {
            return .refused(.invalidCode)
        }
        guard isRepeat || now < state.expiresAt else { return .refused(.codeExpired) }
        state.evaluated += 1
        return .compared(state)
    }

    /// After a guess was right.
    /// - Parameter counted: what `guessed` gave.
    static func right(_ counted: PhoneCodeState, isUsedUp: Bool) -> PhoneCodeState {
        var state = counted
        state.evaluated -= 1
        if isUsedUp { state.stage = .used }
        return state
    }
}
