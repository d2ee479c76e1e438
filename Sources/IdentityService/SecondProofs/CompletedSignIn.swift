import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension SecondProofsHandler {
    /// The answer of a completion.
    func answer(
        _ done: CompletedSignIn, _ completion: ChallengeAnswer
    ) async throws -> IdentityV1.CompleteChallengeResponse {
        let account = done.committed.row.account
        let codes =
            completion.kind == .recoveryCode
            ? try await store.read { try $0.recoveryCodes(of: account) } : 0
        return IdentityV1.CompleteChallengeResponse(
            admission: try await signIn.answer(done.committed),
            forgetDevices: done.forgetsDevices, recoveryCodesLeft: UInt32(clamping: codes))
    }

    /// The answer of a repeat (G-25): the same challenge, on the same device, with the same proof.
    /// - Returns: nil for a new call.
    func answerAgain(
        _ completion: ChallengeAnswer
    ) async throws -> IdentityV1.CompleteChallengeResponse? {
        guard completion.repeatable != nil else { return nil }
        let now = time.now()
        let done = try await store.read { session -> CompletedSignIn? in
            guard
                let bytes = try session.remembered(of: completion.repeatable, at: now)
            else { return nil }
            return try CompletedSignIn(bytes, in: session, at: now)
        }
        guard let done else { return nil }
        if case .password(_, let isRight, _) = completion.prepared, !isRight {
            throw ServiceError(.invalidCredential)
        }
        return try await answer(done, completion)
    }
}

/// A completion that was committed.
struct CompletedSignIn: Sendable {
    let committed: CommittedSignIn
    /// As in the answer of a reset.
    let forgetsDevices: Bool
}

extension CompletedSignIn {
    /// The stored response: ids and facts, as `FederatedSignInRecord` has them.
    var stored: IdentityV1.CompleteChallengeResponse {
        var admission = committed.record.message
        admission.proof = IdentityV1.SignInProof(
            amr: committed.admitted.amr, authTimeMs: admission.proof?.authTimeMs ?? 0,
            sessionGeneration: committed.row.sessionGeneration)
        return IdentityV1.CompleteChallengeResponse(
            admission: admission, forgetDevices: forgetsDevices)
    }

    /// What a stored response says: of a completion, or of a sign-in with a passkey.
    /// - Throws: `auth/idempotency-key-reused` if all sessions have ended since, `auth/user-disabled`.
    init(
        _ bytes: [UInt8], in session: some SQLSession, at moment: Timestamp
    ) throws {
        let stored = try IdentityV1.CompleteChallengeResponse(decoding: bytes)
        guard let admission = stored.admission, let proof = admission.proof else {
            throw ServiceError(.internalError, detail: "a stored completion has no proof")
        }
        let record = try FederatedSignInRecord(admission.encoded())
        guard let row = try session.account(record.account) else {
            throw ServiceError(.idempotencyKeyReused)
        }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        self.init(
            committed: CommittedSignIn(
                admitted: try SignInAdmission.completedAgain(row, proof), record: record,
                // As for the repeat of a federated sign-in.
                provedAt: moment + ProofIssuer.afterEnd,
                guest: try SettledGuest(admission.collision, in: session)),
            forgetsDevices: stored.forgetDevices)
    }
}

extension CommittedSignIn {
    /// A sign-in by password or reset link.
    init(
        _ admitted: AdmittedSignIn, _ history: SignInHistory, _ guest: SettledGuest?,
        provedAt moment: Timestamp
    ) {
        var record = FederatedSignInRecord(admitted.row.account, lastSignInAt: history.before)
        if let guest { record.add(guest) }
        record.add(history)
        record.add(authenticatedAt: moment)
        self.init(admitted: admitted, record: record, provedAt: moment, guest: guest)
    }
}

extension SecondProofsHandler.Found {
    /// The first proof, as the gate judged it.
    func firstProof(_ keys: IdentityKeys) -> FirstProof {
        guard let proved = details.proved else {
            if details.firstMethod == .passkey {
                let isHardware = Authentication.hardwarePasskey.isPart(of: details.amr)
                return .passkey(isHardware ? .hardwarePasskey : .softwarePasskey)
            }
            return details.isReset ? .resetLink : .password
        }
        let own = row.address?.lookUpKey
        return FirstProof(
            proved, numberKey: details.numberKey.isEmpty ? nil : details.numberKey,
            namesOwnAddress: own != nil
                && own == proved.email.map { keys.lookUpKey(of: $0.address) })
    }
}

/// The validated request of a completion.
struct ChallengeAnswer: Sendable {
    /// Nil for a malformed one.
    let token: ChallengeToken?
    let kind: SecondProofKind
    let prepared: PreparedProof
    let origin: CallOrigin
    let shownDevice: GatewayV1.Device?
    let signInDevice: SignInDevice
    let call: ChallengedCall
    /// The session that made the call; nil outside a session.
    let caller: CallingSession?
    /// For idempotent retries; nil when the call carries no key.
    let repeatable: RepeatableCall?

    var device: [UInt8] { call.device }

    /// What the second proof proves (RFC 8176), once it is right.
    var secondProof: [String] {
        guard case .passkey(.success(let verified)) = prepared else { return kind.amr }
        return verified.authentication.amr
    }

    /// - Parameter evidence: What a repeat must prove too.
    /// - Throws: `rpc/invalid-argument` for an invalid idempotency key.
    init(
        _ request: GatewayV1.CompleteSignInRequest, _ kind: SecondProofKind,
        _ prepared: PreparedProof, proving evidence: [UInt8], in caller: CallingSession?,
        _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        token = ChallengeToken(text: request.challenge)
        self.kind = kind
        self.prepared = prepared
        origin = CallOrigin(context, on: request.device, keys)
        shownDevice = request.device
        signInDevice = SignInDevice(request.device, from: origin)
        call = ChallengedCall(context, deviceID: request.device?.deviceId ?? "", keys)
        self.caller = caller
        repeatable = try RepeatableCall(
            SecondProofsDescription.completeChallenge, request, by: caller.caller,
            proving: call.device + evidence, context, keys)
    }
}
