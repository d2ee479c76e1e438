import ServiceRuntime

/// What becomes of a charge whose flow has failed: one rule for all that is counted.
///
///     the error says                                    guess        token        act
///     nothing was begun, the request is malformed,
///     or the service asked is too busy                  given back   given back   given back
///     the secret or the token was wrong                 stands       stands       given back
///     it was right, or was not looked at                given back   given back   given back
///     the effect is committed                           given back   given back   stands
///     the key is another request's                      given back   given back   given back,
///                                                                                 a sign-up stands
///     the time is over, or the caller left              stands       stands       stands; given back
///                                                                                 behind a guess
///     we failed (UNAVAILABLE, INTERNAL)                 stands       given back   given back
///
/// The attacks:
/// - *A deadline between a right answer, which comes at once, and a wrong one, which comes later*:
///   a guess is given back only by what proves that nothing was compared, or that it was right.
/// - *An act whose caller leaves before the answer*: its effect may be committed, so it is paid for.
///   A repeat with the same idempotency key is not charged again.
/// - *Our own failure locks people out*: what failed on our side was no act of theirs.
enum ChargeSettlement: Hashable, Sendable {
    case stands
    case givenBack

    /// The settlement of a charge of this kind after `error`.
    init(of kind: ChargeKind, after error: ServiceError) {
        self = Self.stands(kind, error) ? .stands : .givenBack
    }

    private static func stands(_ kind: ChargeKind, _ error: ServiceError) -> Bool {
        if error.didNothing || error.status == .invalidArgument { return false }
        return switch error.code {
        case .deadlineExceeded, .cancelled: kind != .guardedAct
        case .invalidCredential, .invalidCode, .invalidProviderToken, .invalidNonce:
            kind == .guess || kind == .token
        // It was compared, and late: or one old request allows guesses without end.
        case .codeExpired: kind == .guess
        // It may have been compared before we failed.
        case .unavailable, .internalError: kind == .guess
        // The owner gets a mail; and the answer must not help to test a list of addresses.
        case .emailAlreadyInUse: kind == .act || kind == .signUp
        // Another request under a used key: a sign-up compares its password to find that out.
        case .idempotencyKeyReused: kind == .signUp
        default: false
        }
    }
}

/// What is charged.
enum ChargeKind: CaseIterable, Sendable {
    /// A secret that can be guessed: a password, a code.
    case guess
    /// A provider's token, whose signature cannot be guessed.
    case token
    /// Something is made or sent.
    case act
    /// An act behind a guess that is counted by itself. Attack: whoever does not know the password asks
    /// for the owner's mails, leaves before the answer, and has them used up.
    case guardedAct
    /// An account is made: an act whose repeat shows its password again.
    case signUp
}

extension LimitedAction {
    /// What kind of charge it makes.
    var kind: ChargeKind {
        switch self {
        case .signIn, .phoneCodeGuess: .guess
        case .providerSignIn, .providerProof: .token
        case .signUp: .signUp
        case .verificationMailByPassword: .guardedAct
        case .guestSignUp, .passwordReset, .verificationMail, .unaskedMail, .phoneCodeRequest:
            .act
        }
    }
}
