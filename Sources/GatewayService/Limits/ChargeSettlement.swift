import Contracts
import ServiceRuntime

/// Whether a charge stays or is refunded when its flow has failed: one rule for all charges.
///
///     the error                                         guess      token      act
///     nothing was started, the request is malformed,
///     or the service is overloaded                      refunded   refunded   refunded
///     the secret or the token was wrong                 stays      stays      refunded
///     it was right, or was not compared                 refunded   refunded   refunded
///     it was right, and a second proof is required      is held    is held    refunded; stays for
///                                                                             a guarded act
///     the challenge cannot be answered                  stays      refunded   refunded
///     the new address is taken                          refunded   refunded   stays, unless it is
///                                                                             a write or an upload
///     the person is too young                           refunded   refunded   stays, for a sign-up
///     the effect is committed                           refunded   refunded   stays
///     the idempotency key is another request's          refunded   refunded   refunded,
///                                                                             for a sign-up stays
///     the deadline passed, or the caller cancelled      stays      stays      stays; refunded
///                                                                             for a guarded act
///     we failed (UNAVAILABLE, INTERNAL)                 stays      refunded   refunded
///
/// A write and an upload are acts, but what we refuse of them for its content stays charged too, as
/// does a refused change of the sign-in methods, passkeys or second factors, which is a row of the
/// audit trail.
/// A guess from a known device that stays without an answer is settled later (`RateLimiter.begin`). A
/// charge that is held stays, and the second proof gives it back (`RateLimiter.giveBack`, F-03).
/// Work stays charged after all errors but the first row's.
///
/// The attacks:
/// - *A deadline that passes between a right answer, which is fast, and a wrong one, which is
///   slower*: a guess is refunded only by an error that proves that nothing was compared, or that
///   the guess was right.
/// - *An act whose caller cancels before the answer*: its effect may be committed, so it stays
///   charged. A retry with the same idempotency key is not charged again.
/// - *An account whose address was never verified is corrected to one email after the other*: each
///   that is taken mails its owner, and tells that it is taken. Its charges stay, also that of the
///   right password.
/// - *Our own failures lock users out*: an act that failed on our side is refunded.
/// - *A thief of a password begins one sign-in after another, and lacks the second proof*: each is
///   rows of three tables. The charge stays like that of a wrong password.
/// - *A challenge that is completed is answered again and again*: each costs a hash.
/// - *A link or a removal of a method that is refused again and again*: each is a row of the audit
///   trail. Neither the provider's token nor the code is used up by it.
/// - *A write whose last document is refused*: the others are read and checked before. Refunded, it
///   could be repeated without end. The same of a write that turns out to cost more than its account
///   may spend now.
/// - *An upload that ends just before its last byte*: until then it takes memory that other uploads
///   wait for.
enum ChargeSettlement: Hashable, Sendable {
    case stays
    case refunded

    /// The settlement of a charge of this kind after `error`.
    init(of kind: ChargeKind, after error: ServiceError) {
        self = Self.stays(kind, error) ? .stays : .refunded
    }

    private static func stays(_ kind: ChargeKind, _ error: ServiceError) -> Bool {
        if error.didNothing { return false }
        if kind == .work { return true }
        if kind.costlyRefusals.contains(error.code) { return !error.isOfLengthAlone }
        if error.status == .invalidArgument { return false }
        return switch error.code {
        case .deadlineExceeded, .cancelled: kind != .guardedAct
        case .invalidCredential, .invalidCode, .invalidProviderToken, .invalidNonce,
            .invalidPasskey, .unknownPasskey:
            kind == .guess || kind == .token
        // It was compared, but too late. If it were refunded, one expired request would allow
        // unlimited guesses.
        case .codeExpired: kind == .guess
        // It is recorded. A right password has written rows, whatever follows.
        case .secondProofRequired: kind == .guess || kind == .token || kind == .guardedAct
        // The secret was compared, though its caller learns nothing.
        case .invalidChallenge: kind == .guess
        // The secret may have been compared before we failed.
        case .unavailable, .internalError: kind == .guess
        // The owner gets a mail. If it were refunded, the response would also help to test a list
        // of emails. After a guess it says that the password was right, which has written rows.
        case .emailAlreadyInUse: kind == .act || kind == .guardedAct || kind == .signUp
        // It is recorded for the device. If it were refunded, invented devices would fill the
        // store.
        case .underageUser: kind == .signUp
        // Another request under a used key. A sign-up detects that by comparing the password.
        case .idempotencyKeyReused: kind == .signUp
        default: false
        }
    }
}

/// The kind of action that is charged.
enum ChargeKind: CaseIterable, Sendable {
    /// A secret that can be guessed: a password or a code.
    case guess
    /// A provider's token, whose signature cannot be guessed.
    case token
    /// Something is created or sent.
    case act
    /// An act after a guess that has its own charge. Attack: a caller who does not know the
    /// password requests the owner's mails and cancels before the answer, to use the mails up.
    case guardedAct
    /// An account is created: an act whose retry shows its password again.
    case signUp
    /// Documents are written, or sign-in methods changed: an act that costs as much when it is
    /// refused.
    case write
    /// A photo or a guest's documents are received: an act that costs as much when it is refused.
    case upload
    /// The limit is on what an answer costs us, whatever it is.
    case work

    /// The refusals that come after the costly part.
    fileprivate var costlyRefusals: Set<ErrorCode> {
        switch self {
        case .write:
            [
                .documentConflict, .documentQuota, .invalidDocument, .accountRequired,
                .consentRequired, .parentalConsentRequired, .emailNotVerified, .invalidArgument,
                .providerAlreadyLinked, .credentialAlreadyInUse, .methodNotLinked, .lastMethod,
                .lastSecondFactor, .maximumSecondFactorCountExceeded, .invalidPasskey,
                .passkeyQuota, .tooManyRequests,
            ]
        case .upload: [.invalidPhoto, .documentQuota, .invalidDocument, .invalidArgument]
        case .guess, .token, .act, .guardedAct, .signUp, .work: []
        }
    }
}

extension ServiceError {
    /// A photo was refused by the length that its first item has, before it was received.
    fileprivate var isOfLengthAlone: Bool {
        code == .invalidPhoto && violations.contains { $0.rule == PhotoRule.photoBytes.rawValue }
    }
}

extension LimitedAction {
    /// The limits whose part of the charge is refunded after `error`, while the rest stays.
    func spared(by error: ServiceError) -> [LimitName] {
        let wasCompared = error.code == .invalidCode && !error.isOfNoLiveCode
        return (wasCompared ? [] : countsCompared)
            + (kind.costlyRefusals.contains(error.code) ? countsDone : [])
    }
}

extension ServiceError {
    /// Whether a guess was refused without being compared with a code. The identity service then
    /// names the request, not the code, as the field at fault (`PhoneCodeGuess.Refusal`).
    var isOfNoLiveCode: Bool { code == .invalidCode && fields == ["request_id"] }
}
