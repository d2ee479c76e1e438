import CallRecords
import PhoneNumbers
import ServiceRuntime
import Storage

/// A guess at a code, read: who claims to have been sent it, and what was typed.
struct PhoneCodeGuess: Sendable {
    /// Nil for what is no request's id.
    let request: PhoneCodeID?
    let purpose: PhoneCodePurpose
    /// Whose session asks; nil for signing in.
    let owner: SessionOwner?
    let number: PhoneNumber
    /// Keyed hash of the number.
    let numberKey: [UInt8]
    /// Nil for what no code looks like.
    let code: PhoneCode?
    let origin: CallOrigin

    /// The account of the session that asks; nil for signing in.
    var account: AccountID? { owner?.account }

    /// What the code must be bound to.
    func binding(_ request: PhoneCodeID) -> PhoneCodeBinding {
        PhoneCodeBinding(
            request: request, purpose: purpose, account: account, numberKey: numberKey)
    }
}

/// Why a guess is refused.
struct PhoneCodeRefusal: Hashable, Sendable {
    let code: ErrorCode
    /// It was compared with a live code of the number. Only such a guess counts on the number: by any
    /// other a stranger could shut it who has no code sent there. The gateway tells the two apart by
    /// the field, and its callers nothing of it.
    var isCompared = false

    /// What is wrong is the code, unless there is none, or the session is over.
    var error: ServiceError {
        switch code {
        case .sessionEnded: ServiceError(code)
        case .invalidCode where !isCompared: ServiceError(code, fields: ["request_id"])
        default: ServiceError(code, fields: ["code"])
        }
    }
}

/// Looks at guesses.
///
/// Attack: many guesses at once, each of which reads the count before any has written it. There is no
/// such moment: one transaction counts and compares, and the store has one writer.
struct PhoneCodeCheck: Sendable {
    let parts: IdentityParts

    /// Refuses where nobody signs in by phone, before anything is read or written.
    /// - Throws: `auth/operation-not-allowed`.
    func requireOn(_ number: PhoneNumber) throws(ServiceError) {
        let phone = parts.settings.phone
        guard phone.countries != .none || phone.test(number) != nil else {
            throw ServiceError(.operationNotAllowed, fields: ["phone_number"])
        }
    }

    /// Looks at a guess by itself.
    /// - Throws: `auth/invalid-verification-code`, `auth/code-expired`, `auth/session-ended`,
    ///   `auth/idempotency-key-reused`.
    func require(_ guess: PhoneCodeGuess, _ call: RepeatableCall?) async throws {
        let refusal = try await parts.store.write { transaction in
            let isRepeat = try transaction.remembered(of: call) != nil
            return try look(at: guess, isRepeat: isRepeat, isUsedUp: false, transaction)
        }
        if let refusal { throw refusal.error }
    }

    /// Looks at a guess in the transaction of what follows from it. A refusal is an answer and not an
    /// error: thrown, it would undo the count.
    /// - Parameter isUsedUp: the right code has done its service with this.
    /// - Returns: why it is refused; nil where it is right.
    func look(
        at guess: PhoneCodeGuess, isRepeat: Bool, isUsedUp: Bool, _ transaction: Transaction
    ) throws -> PhoneCodeRefusal? {
        // A session that has ended guesses at no codes; none is counted for it.
        if let owner = guess.owner, try transaction.hasEnded(owner) {
            try audit(guess, .sessionEnded, attempt: nil, transaction)
            return PhoneCodeRefusal(code: .sessionEnded)
        }
        let kept = try guess.request.flatMap { try transaction.phoneCode($0) }
        // Bound otherwise is none at all: nobody uses up another's guesses by its id alone.
        let code = kept.flatMap { $0.binding == guess.binding($0.binding.request) ? $0 : nil }
        switch PhoneCodeRule.guessed(code?.state, isRepeat: isRepeat, at: transaction.at) {
        case .refused(let refusal):
            // Nothing was compared, and whoever signs in is not known: ids can be invented.
            if guess.owner == nil {
                try transaction.auditCounted(
                    .phoneCodeRefused, outcome: refusal, from: guess.origin)
            } else {
                try audit(guess, refusal, attempt: code?.state.evaluated, transaction)
            }
            return PhoneCodeRefusal(code: refusal)
        case .compared(let counted):
            guard let code else { return PhoneCodeRefusal(code: .invalidCode) }
            try transaction.setPhoneCode(code.binding.request, counted)
            let isRight = guess.code.map {
                code.binding.isRight($0, hash: code.hash, parts.keys)
            }
            guard isRight == true else {
                try audit(guess, .invalidCode, attempt: counted.evaluated, transaction)
                return PhoneCodeRefusal(code: .invalidCode, isCompared: true)
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
                subject: parts.keys.subject(of: guess.number), outcome: refusal,
                attempt: attempt.map { Int64($0) }
            ).from(guess.origin))
    }
}
