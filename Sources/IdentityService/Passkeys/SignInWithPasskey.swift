import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension IdentitiesHandler {
    /// Signs in with a passkey (F-01): verifies the signature, finds the account, decides, asks the
    /// gate, writes, answers. All but the first are one transaction, which reads passkey, challenge
    /// and account again.
    ///
    /// Attack: the owner removes a passkey that was stolen, while its thief signs in. The account
    /// is the subject of both transactions: either the passkey is gone, or the removal ends the new
    /// session.
    ///
    /// A repeat is looked up before the signature is verified: its challenge may have expired
    /// since. The fingerprint has all of the response, and any end of all sessions makes the answer
    /// void (G-25).
    func signInWithPasskey(
        _ request: GatewayV1.SignInWithPasskeyRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        let caller = try await owners.calling(in: context)
        let call = try PasskeySignInCall(request, in: caller, context, keys)
        if let again = try await answerAgain(call) { return again }
        // In a session that cannot be used, only a repeat is answered.
        if let caller { _ = try caller.owner.get() }
        let outcome = try await untilUnchanged { () async throws -> Outcome? in
            let verified = try await passkeys.verified(
                request.credential, for: [.signIn], of: nil)
            switch verified {
            case .success(let verified): return try await write(verified, call)
            case .failure(let failure):
                throw try await passkeys.recorded(failure, from: call.origin)
            }
        }
        switch outcome {
        case .signedIn(let done):
            if done.committed.guest != nil { writer.guests.wake() }
            return try await signIn.answer(done.committed)
        case .challenged(let issued): throw issued.error
        case .disabled(let code): throw ServiceError(code)
        case .refused(let failure): throw passkeys.error(of: failure)
        }
    }

    /// What a transaction came to. All but the first are thrown after the commit.
    private enum Outcome: Sendable {
        case signedIn(CompletedSignIn)
        /// No demand of today asks for a proof beside a passkey.
        case challenged(IssuedChallenge)
        case disabled(ErrorCode)
        case refused(PasskeyFailure)
    }

    /// - Returns: nil for a new call.
    private func answerAgain(
        _ call: PasskeySignInCall
    ) async throws -> IdentityV1.AdmissionResponse? {
        guard call.repeatable != nil else { return nil }
        let now = passkeys.time.now()
        let found = try await store.read { session -> Outcome? in
            try session.remembered(of: call.repeatable, at: now)
                .map { try again($0, call, in: session, at: now) }
        }
        switch found {
        case .signedIn(let done)?: return try await signIn.answer(done.committed)
        case .challenged(let issued)?: throw issued.error
        case .disabled, .refused, nil: return nil
        }
    }

    private func again(
        _ bytes: [UInt8], _ call: PasskeySignInCall, in session: some SQLSession,
        at moment: Timestamp
    ) throws -> Outcome {
        guard IdentityV1.StoredResponse.isOne(bytes) else {
            return .signedIn(try CompletedSignIn(bytes, in: session, at: moment))
        }
        guard let first = try session.storedResponse(of: call.repeatable, at: moment),
            let row = try session.account(AccountID(stored: first.account))
        else { throw ServiceError(.idempotencyKeyReused) }
        return .challenged(
            try SignInAdmission(settings: settings, writer: writer).challengeAgain(
                first, of: row, after: .passkey(.softwarePasskey), in: session))
    }

    /// - Returns: nil when the passkey changed since it was verified.
    private func write(
        _ verified: VerifiedPasskey, _ call: PasskeySignInCall
    ) async throws -> Outcome? {
        let account = verified.row.account
        return try await store.write(about: [.account(account)] + call.caller.subjects) {
            transaction -> Outcome? in
            // The first of two calls at once was committed meanwhile.
            if let bytes = try transaction.remembered(of: call.repeatable) {
                return try again(bytes, call, in: transaction, at: transaction.at)
            }
            guard let row = try transaction.account(account) else { return nil }
            if let caller = call.caller { try transaction.requireLive(caller.owner.get()) }
            switch try passkeys.use(
                verified, on: call.device.shown, from: call.origin, transaction)
            {
            case .changed: return nil
            case .refused:
                let failure = PasskeyFailure.refused(.challengeUsed, of: account)
                try transaction.audit(
                    .passkeyRefused, account, from: call.origin, outcome: failure.code)
                return .refused(failure)
            case .used: return try admit(row, verified, call, transaction)
            }
        }
    }

    private func admit(
        _ row: AccountRow, _ verified: VerifiedPasskey, _ call: PasskeySignInCall,
        _ transaction: Transaction
    ) throws -> Outcome {
        let account = row.account
        if let code = SignInRule.refusal(of: row.status, isPasswordRight: true) {
            try transaction.audit(
                .signInFailed, account, detail: .method(SignInMethod.passkey.name),
                from: call.origin, outcome: code)
            return .disabled(code)
        }
        let admission = try SignInAdmission(settings: settings, writer: writer).admit(
            row, .passkey(verified.authentication), call.challenged, on: call.device,
            from: call.origin, guest: call.caller, transaction
        ) { _ in }
        switch admission {
        case .challenged(let issued):
            try transaction.remember(call.repeatable, .init(challenged: row, issued))
            return .challenged(issued)
        case .admitted(let admitted):
            let (history, guest) = try PasswordSignIn(settings: settings, answers: answers).write(
                row, by: .passkey, upgrade: nil, on: call.device, from: call.origin, subject: nil,
                guest: call.caller, transaction)
            let done = CompletedSignIn(
                committed: CommittedSignIn(admitted, history, guest, provedAt: transaction.at),
                forgetsDevices: false)
            try transaction.remember(call.repeatable, done.stored.encoded())
            return .signedIn(done)
        }
    }
}

/// The validated request of a sign-in with a passkey, without the signature.
private struct PasskeySignInCall: Sendable {
    let origin: CallOrigin
    let device: SignInDevice
    /// The session that made the call; nil outside of one.
    let caller: CallingSession?
    /// For the challenge that the sign-in may begin.
    let challenged: ChallengedCall
    /// For idempotent retries; nil when the call carries no key.
    let repeatable: RepeatableCall?

    /// Reads a request.
    /// - Throws: `rpc/invalid-argument` for an invalid idempotency key.
    init(
        _ request: GatewayV1.SignInWithPasskeyRequest, in caller: CallingSession?,
        _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        origin = CallOrigin(context, on: request.device, keys)
        device = SignInDevice(request.device, from: origin)
        self.caller = caller
        challenged = ChallengedCall(context, deviceID: request.device?.deviceId ?? "", keys)
        repeatable = try RepeatableCall(
            IdentitiesDescription.signInWithPasskey, request, by: caller.caller, context, keys)
    }
}
