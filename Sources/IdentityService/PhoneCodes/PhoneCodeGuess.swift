import Addresses
import ServiceRuntime
import Storage

/// A guess at a code, validated: the claimed request and the entered code.
struct PhoneCodeGuess: Sendable {
    /// Nil when it is not a valid request id.
    let request: PhoneCodeID?
    let purpose: PhoneCodePurpose
    /// The session that made the call; nil for a sign-in.
    let owner: SessionOwner?
    let number: PhoneNumber
    /// Keyed hash of the number.
    let numberKey: [UInt8]
    /// Nil when it is not in the format of a code.
    let code: PhoneCode?
    let origin: CallOrigin

    /// The account of the calling session; nil for a sign-in.
    var account: AccountID? { owner?.account }

    /// The binding that the code must have.
    func binding(_ request: PhoneCodeID) -> PhoneCodeBinding {
        PhoneCodeBinding(
            request: request, purpose: purpose, account: account, numberKey: numberKey)
    }
}

extension PhoneCodeGuess {
    /// Why a guess is rejected.
    struct Refusal: Hashable, Sendable {
        let code: ErrorCode
        /// Whether the guess was compared with a live code of the number. Only such guesses count
        /// against the number's rate limit. Otherwise anybody could lock a number without receiving
        /// a code. The gateway distinguishes the two by the error's field, which it does not pass
        /// on to its callers.
        var isCompared = false

        /// The error to throw. Its field is the code; for an uncompared guess the request id; for
        /// an ended session none.
        var error: ServiceError {
            switch code {
            case .sessionEnded: ServiceError(code)
            case .invalidCode where !isCompared: ServiceError(code, fields: ["request_id"])
            default: ServiceError(code, fields: ["code"])
            }
        }
    }
}

/// Compares guesses.
///
/// Attack: many parallel guesses, each of which reads the count before any has written it. This
/// race does not exist: one transaction counts and compares, and the store has one writer.
extension PhoneCodesHandler {
    /// Rejects the call if phone sign-in is disabled, before anything is read or written.
    /// - Throws: `auth/operation-not-allowed`.
    func requireOn(_ number: PhoneNumber) throws(ServiceError) {
        let phone = settings.phone
        guard phone.countries != .none || phone.test(number) != nil else {
            throw ServiceError(.operationNotAllowed, fields: ["phone_number"])
        }
    }

    /// Checks a guess in a transaction of its own.
    /// - Throws: `auth/invalid-verification-code`, `auth/code-expired`, `auth/session-ended`,
    ///   `auth/idempotency-key-reused`.
    func require(_ guess: PhoneCodeGuess, _ call: RepeatableCall?) async throws {
        let refusal = try await store.write(about: [.hash(guess.numberKey)]) { transaction in
            let isRepeat = try transaction.remembered(of: call) != nil
            return try look(at: guess, isRepeat: isRepeat, isUsedUp: false, transaction)
        }
        if let refusal { throw refusal.error }
    }

    /// Checks a guess in the transaction of what follows from it. A rejection is returned and not
    /// thrown, because an error would roll back the count.
    /// - Parameter isUsedUp: whether a right guess uses the code up.
    /// - Returns: the rejection; nil when the guess is right.
    func look(
        at guess: PhoneCodeGuess, isRepeat: Bool, isUsedUp: Bool, _ transaction: Transaction
    ) throws -> PhoneCodeGuess.Refusal? {
        // A guess from an ended session is neither compared nor counted.
        if let owner = guess.owner, try transaction.hasEnded(owner) {
            try audit(guess, .sessionEnded, attempt: nil, transaction)
            return PhoneCodeGuess.Refusal(code: .sessionEnded)
        }
        let stored = try guess.request.flatMap { try transaction.phoneCode($0) }
        // A code with another binding is treated as missing. Otherwise anybody could use up another
        // user's guesses with the request id alone.
        let code = stored.flatMap { $0.binding == guess.binding($0.binding.request) ? $0 : nil }
        switch PhoneCodeRule.guessed(code?.state, isRepeat: isRepeat, at: transaction.at) {
        case .refused(let refusal):
            // Nothing was compared, and a sign-in has no known account. Request ids can be
            // invented, so such guesses are only counted and get no audit event of their own.
            if guess.owner == nil {
                try transaction.auditCounted(
                    .phoneCodeRefused, outcome: refusal, from: guess.origin)
            } else {
                try audit(guess, refusal, attempt: code?.state.evaluated, transaction)
            }
            return PhoneCodeGuess.Refusal(code: refusal)
        case .compared(let counted):
            guard let code else { return PhoneCodeGuess.Refusal(code: .invalidCode) }
            try transaction.setPhoneCode(code.binding.request, counted)
            let isRight = guess.code.map {
                code.binding.isRight($0, hash: code.hash, keys)
            }
            guard isRight == true else {
                try audit(guess, .invalidCode, attempt: counted.evaluated, transaction)
                return PhoneCodeGuess.Refusal(code: .invalidCode, isCompared: true)
            }
            try transaction.setPhoneCode(
                code.binding.request, PhoneCodeRule.right(counted, isUsedUp: isUsedUp))
            return nil
        }
    }

    private func audit(
        _ guess: PhoneCodeGuess, _ refusal: ErrorCode, attempt: Int?, _ transaction: Transaction
    ) throws {
        try transaction.audit(
            AuditEvent(
                .phoneCodeRefused, account: guess.account?.key,
                subject: keys.subject(of: guess.number), outcome: refusal,
                attempt: attempt.map { Int64($0) }
            ).from(guess.origin))
    }
}
