import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Checks the use of a link to an address that is not verified yet. In the account's own session
/// the link suffices. Elsewhere it needs the password, with a limited number of attempts
/// (`ConfirmationRule`, `attemptsMax`).
struct LinkProof: Sendable {
    /// Maximum number of password attempts at one link that is opened outside its account's session
    /// (I-06). Then the link is void: a person who reads the mail must not be able to guess the
    /// account's password with it.
    static let attemptsMax: Int64 = 5

    let store: Store

    /// - Parameters:
    ///   - password: As entered; empty if none was.
    ///   - counted: Counts one password attempt at the link, before the comparison; false if the
    ///     limit was reached before.
    ///   - isRight: Compares the password.
    /// - Throws: `auth/password-needed`, `auth/invalid-link`, `auth/invalid-credential`.
    func require(
        _ rule: ConfirmationRule, _ password: SecretBytes, of account: AccountID,
        from origin: CallOrigin, counted: @escaping @Sendable (Transaction) throws -> Bool,
        isRight: (Password) async throws -> Bool
    ) async throws {
        switch rule {
        case .byLink: return
        case .passwordMissing: throw ServiceError(.passwordNeeded, fields: ["password"])
        case .byPassword:
            guard try await store.write(about: [.account(account)], counted) else {
                throw ServiceError(.invalidLink)
            }
            guard let typed = Password(entered: password), try await isRight(typed) else {
                throw try await refusal(account, origin)
            }
        }
    }

    private func refusal(
        _ account: AccountID, _ origin: CallOrigin
    ) async throws -> ServiceError {
        try await store.write(about: [], evenIfCancelled: true) { transaction in
            try transaction.audit(
                .emailProofRefused, account, from: origin, outcome: .invalidCredential)
        }
        return ServiceError(.invalidCredential)
    }
}

extension PasswordCheck {
    /// Passwords that repeats of one call may type until one is right: more than the repeats of an
    /// app that arrive at once, all of which are counted before the first is compared.
    static let repeatedGuessesMax: UInt32 = 20

    /// A repeat of a call that used a link up (G-25). It gets the stored response only with the
    /// same evidence as the first call: the account's own session or its password.
    ///
    /// - Parameters:
    ///   - callersAccount: The account of the caller's session; nil outside a session.
    ///   - password: As entered; empty if none was.
    /// - Returns: the stored response, and the account in its present state.
    /// - Throws: `auth/invalid-link` if there was no such call; `auth/idempotency-key-reused` for a
    ///   caller without that evidence.
    func holder(
        ofRepeated call: RepeatableCall?, callersAccount: AccountID?, password: SecretBytes
    ) async throws -> (first: IdentityV1.StoredResponse, holder: PasswordHolder) {
        guard let first = try await store.storedResponse(of: call, at: time.now()) else {
            throw ServiceError(.invalidLink)
        }
        let account = try AccountID(stored: first.account)
        let holder = try await store.read { try $0.passwordHolder(account) }
        guard let holder, holder.row.status.isUsable else { throw ServiceError(.invalidLink) }
        if callersAccount != account {
            try await require(of: account, repeating: call) {
                try await isRight(password, of: holder)
            }
        }
        return (first, holder)
    }

    /// Requires the account's password from a repeat of `call`, which signed up or used a link up.
    ///
    /// Attack: somebody has the idempotency key of such a call, for example from a log, and repeats
    /// the call with one password after another. No limit of sign-ins counts such calls. So the
    /// wrong passwords are counted here, before the comparison. A retry has the first call's
    /// password and is not affected. (After a takeover there are no repeats: `storedResponse(of:)`.)
    /// - Parameter isRight: Compares the password that the repeat has typed.
    /// - Throws: `auth/idempotency-key-reused` for a wrong password, and for each one after
    ///   `repeatedGuessesMax` wrong ones.
    func require(
        of account: AccountID, repeating call: RepeatableCall?,
        isRight: () async throws -> Bool
    ) async throws {
        func setGuesses(
            isCompared: Bool = true, _ change: @escaping @Sendable (UInt32) -> UInt32?
        ) async throws -> Bool {
            try await store.write(about: [.account(account)], evenIfCancelled: isCompared) {
                try $0.setGuesses(ofRepeated: call, change)
            }
        }
        let isCounted = try await setGuesses(isCompared: false) {
            $0 < Self.repeatedGuessesMax ? $0 + 1 : nil
        }
        guard isCounted else { throw ServiceError(.idempotencyKeyReused) }
        do {
            guard try await isRight() else { throw ServiceError(.idempotencyKeyReused) }
        } catch let error as ServiceError where error.notProcessed {
            // Nothing was compared: the queue of hashes was full, or the caller went while the
            // password waited in it. One that goes later is counted.
            _ = try await setGuesses { $0 - min($0, 1) }
            throw error
        }
        _ = try await setGuesses { _ in 0 }
    }
}

extension Transaction {
    /// Sets the number of passwords that repeats of `call` have typed. The response is stored until
    /// the same time as before.
    /// - Parameter change: Gives the new number; nil for none.
    /// - Returns: false if there is no new number, or no stored response.
    fileprivate func setGuesses(
        ofRepeated call: RepeatableCall?, _ change: (UInt32) -> UInt32?
    ) throws -> Bool {
        guard var first = try storedResponse(of: call), let guesses = change(first.guesses) else {
            return false
        }
        first.guesses = guesses
        try replaceRemembered(call, first.bytes)
        return true
    }
}
