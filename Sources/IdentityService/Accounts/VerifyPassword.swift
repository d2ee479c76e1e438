import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountsHandler {
    /// Signs in by email and password (G-03): reads, verifies, decides, asks the gate, writes, issues
    /// the proof. Where the account asks for a second proof, the transaction of the right password
    /// writes a challenge and nothing else (F-03).
    ///
    /// An unknown address and a wrong password take the same steps: one read, one hash, one audit
    /// write, one error code.
    ///
    /// A guest that calls is another account; `GuestDocuments` decides what happens to its data
    /// (G-16, G-27). Its session is judged before the password is compared:
    /// the error, and the time until it, do not depend on the address or the password.
    /// Nothing about the guest is in the answer to a wrong password.
    func verifyPassword(
        _ request: IdentityV1.VerifyPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.VerifyPasswordResponse {
        try passwords.requireOn()
        let caller = try await owners.calling(in: context)
        let attempt = try SignInAttempt(
            request.signIn, in: caller, chargeID: request.chargeId,
            RepeatableCall(
                AccountsDescription.verifyPassword, request, by: caller.caller, context, keys),
            context, keys)
        try await requireAnswerable(attempt)
        try await passwords.responseTimeFloor.requireTime(until: context.deadline)
        let recorded = try await untilUnchanged { try await check(attempt) }
        if recorded.guest != nil { writer.guests.wake() }
        let answer = try await answers.answer(
            recorded.row, lastSignInAt: recorded.history.before)
        return IdentityV1.VerifyPasswordResponse(
            account: answer.account,
            proof: try proofs.signIn(recorded.admitted, provedAt: recorded.at),
            history: try recorded.history.message.opened(of: recorded.row, reader),
            collision: try await recorded.guest?.answer(answers),
            requiredActions: answer.requiredActions)
    }

    /// Rejects a guess that is void, a call whose idempotency key belongs to another request, and
    /// one in a session that cannot be used, unless it is a repeat (G-25). Attack: if only the right
    /// password led to these errors, they would confirm a password with no record and no mail to the
    /// owner, and the gateway would refund the guess.
    ///
    /// A read: sign-ins with a key do not wait for the one writer before their password is compared.
    /// It sees every response that was committed, which is each that a caller can have. The
    /// transaction of the sign-in looks again.
    private func requireAnswerable(_ attempt: SignInAttempt) async throws {
        guard attempt.caller != nil || attempt.repeatable != nil || attempt.guess != nil else {
            return
        }
        let now = time.now()
        try await store.read { session in
            try session.requireNotVoid(attempt.guess)
            guard try session.storedResponse(of: attempt.repeatable, at: now) == nil,
                let caller = attempt.caller
            else { return }
            try session.requireLive(try caller.owner.get())
        }
    }

    /// - Returns: nil when the account changed during the check.
    private func check(_ attempt: SignInAttempt) async throws -> Recorded? {
        let lookUpKey = attempt.lookUpKey
        let holder = try await store.read { try $0.passwordHolder(ofAddress: lookUpKey) }
        let verdict = try await passwords.verdict(attempt.password, of: holder)
        if let code = SignInRule.refusal(of: holder?.row.status, isPasswordRight: verdict.isRight) {
            throw try await attempt.refused(code, holder, store)
        }
        guard let holder else { throw ServiceError(.invalidCredential) }
        let upgrade = try await passwords.upgrade(attempt.password, of: holder)
        let recorded: Result<Recorded, ServiceError>?
        do {
            recorded = try await record(attempt, holder, upgrade)
        } catch let error as ServiceError {
            // After a wrong password the error comes at the end of this minimum too.
            try await passwords.responseTimeFloor.waitOut(from: verdict.begun)
            throw error.afterComparison
        }
        // The error of a challenge says that the password was right, as it was.
        return try recorded?.get()
    }

    /// What a sign-in wrote.
    private struct Recorded: Sendable {
        let admitted: AdmittedSignIn
        let history: SignInHistory
        /// The time of its proof; for a retry, now.
        let at: Timestamp
        /// The guest that made the call.
        let guest: SettledGuest?

        var row: AccountRow { admitted.row }
    }

    /// Writes the sign-in, or its challenge, whose error is thrown after the commit. Returns nil when
    /// the password was replaced or the account was disabled while the hash ran: a sign-in with the
    /// old password must not win a race against a reset.
    private func record(
        _ attempt: SignInAttempt, _ checked: PasswordHolder, _ upgrade: [UInt8]?
    ) async throws -> Result<Recorded, ServiceError>? {
        let account = checked.row.account
        let admission = SignInAdmission(settings: settings, writer: writer)
        // Also when the caller has gone. Attack: right passwords are looked for with deadlines that
        // leave no record and no mail to the owner.
        return try await store.write(
            about: [.account(account)] + attempt.caller.subjects, evenIfCancelled: true
        ) { transaction in
            try transaction.requireNotVoid(attempt.guess)
            guard let holder = try transaction.passwordHolder(account), holder.row.status.isUsable,
                holder.sealedHash == checked.sealedHash
            else { return nil }
            let row = holder.row
            if let first = try transaction.storedResponse(of: attempt.repeatable) {
                return try again(first, row, admission, transaction)
            }
            let outcome = try admission.admit(
                row, .password, attempt.challenged, on: attempt.device, from: attempt.origin,
                subject: attempt.subject, guest: attempt.caller, transaction
            ) { $0.passwordHash = upgrade ?? [] }
            switch outcome {
            case .challenged(let issued):
                try transaction.remember(
                    attempt.repeatable, .init(challenged: row, issued))
                return .failure(issued.error)
            case .admitted(let admitted):
                let (history, guest) = try PasswordSignIn(settings: settings, answers: answers)
                    .write(
                        row, by: .password, upgrade: upgrade, on: attempt.device,
                        from: attempt.origin, subject: attempt.subject, guest: attempt.caller,
                        transaction)
                try transaction.remember(
                    attempt.repeatable,
                    .init(signInTo: row, history: history, collision: guest?.collision))
                return .success(
                    Recorded(
                        admitted: admitted, history: history, at: transaction.at, guest: guest))
            }
        }
    }

    private func again(
        _ first: IdentityV1.StoredResponse, _ row: AccountRow, _ admission: SignInAdmission,
        _ transaction: Transaction
    ) throws -> Result<Recorded, ServiceError> {
        guard first.challenge == 0 else {
            return .failure(
                try admission.challengeAgain(first, of: row, after: .password, in: transaction)
                    .error)
        }
        let admitted: AdmittedSignIn
        do {
            admitted = try admission.admitAgain(
                row, .password, in: transaction, at: transaction.at)
        } catch let error as ServiceError where error.code == .idempotencyKeyReused {
            // As it is: the first call has shown the same password.
            return .failure(error)
        }
        return .success(
            Recorded(
                admitted: admitted, history: first.history, at: transaction.at,
                guest: try SettledGuest(first.collision, in: transaction)))
    }
}

/// Decides whether a sign-in with a password succeeds (G-03, X-02):
///
///     account      password    result
///     none         any         auth/invalid-credential
///     any          wrong       auth/invalid-credential
///     active       right       signed in
///     pending      right       auth/email-not-verified (G-02)
///     any other    right       auth/user-disabled
///
/// The last two disclose the account's status, so they require the right password.
enum SignInRule {
    /// The error code of a rejection; nil when the sign-in succeeds.
    static func refusal(of status: AccountStatus?, isPasswordRight: Bool) -> ErrorCode? {
        guard let status, isPasswordRight else { return .invalidCredential }
        if status == .pendingVerification { return .emailNotVerified }
        return status.isUsable ? nil : .accountDisabled
    }
}

/// The validated request of a password sign-in.
struct SignInAttempt: Sendable {
    let password: Password
    /// Keyed hash of the address, by which the account is looked up.
    let lookUpKey: [UInt8]
    /// Keyed hash of the address for the audit log.
    let subject: [UInt8]
    let origin: CallOrigin
    let device: SignInDevice
    /// The session that made the call; nil outside a session.
    let caller: CallingSession?
    /// For idempotent retries; nil when the call carries no key.
    let repeatable: RepeatableCall?
    /// Nil if the charge of the guess is not settled later.
    let guess: ChargedGuess?
    /// For the challenge that the sign-in may begin.
    let challenged: ChallengedCall

    /// Reads a request.
    /// - Throws: `auth/invalid-email`; `auth/invalid-credential` for a password that exceeds the
    ///   accepted length, rejected without the cost of a hash; `rpc/invalid-argument`.
    init(
        _ request: GatewayV1.SignInWithPasswordRequest?, in caller: CallingSession? = nil,
        chargeID: String = "", _ repeatable: RepeatableCall?, _ context: CallContext,
        _ keys: IdentityKeys
    ) throws(ServiceError) {
        let request = request ?? GatewayV1.SignInWithPasswordRequest()
        try self.init(
            request.password, of: EmailAddress.required(request.email), on: request.device,
            in: caller, chargeID: chargeID, repeatable, context, keys)
    }

    /// Reads a password for the account of an address.
    /// - Parameter isInOwnSession: As a recent proof in a session of the account.
    /// - Throws: as the other `init`.
    init(
        _ entered: SecretBytes, of address: EmailAddress, on device: GatewayV1.Device?,
        in caller: CallingSession? = nil, isInOwnSession: Bool = false, chargeID: String,
        _ repeatable: RepeatableCall?, _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        guard let password = Password(entered: entered) else {
            throw ServiceError(.invalidCredential)
        }
        self.password = password
        lookUpKey = keys.lookUpKey(of: address)
        subject = keys.subject(of: address)
        origin = CallOrigin(context, on: device, keys)
        self.device = SignInDevice(device, inOwnSession: isInOwnSession, from: origin)
        self.caller = caller
        self.repeatable = repeatable
        guess = try ChargedGuess(chargeID)
        challenged = ChallengedCall(context, deviceID: device?.deviceId ?? "", keys)
    }

    /// Records the rejection in the audit log and returns the error to throw. Without an account,
    /// only a counter is incremented.
    ///
    /// The rejection is also written after the caller has gone (`ChargedGuess`).
    /// - Throws: the store's error, as `ServiceError.afterComparison`; the same for a guess that is
    ///   void.
    func refused(
        _ code: ErrorCode, _ holder: PasswordHolder?, _ store: Store
    ) async throws -> ServiceError {
        do {
            try await write(code, holder, store)
        } catch let error as ServiceError {
            throw error.afterComparison
        }
        return ServiceError(code)
    }

    private func write(
        _ code: ErrorCode, _ holder: PasswordHolder?, _ store: Store
    ) async throws {
        let detail = AuditDetail.method(SignInMethod.password.name)
        try await store.write(about: [], evenIfCancelled: true) { transaction in
            if code == .invalidCredential {
                try transaction.recordWrong(guess)
            } else {
                try transaction.requireNotVoid(guess)
            }
            guard let holder else {
                return try transaction.auditCounted(
                    .signInFailed, detail, outcome: code, from: origin)
            }
            try transaction.audit(
                .signInFailed, holder.row.account, detail: detail, from: origin,
                subject: subject, outcome: code)
        }
    }
}
