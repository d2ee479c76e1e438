import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension SignInChallengesHandler {
    /// F-03: ask identity what the challenge is charged to → charge the limits → have the proof
    /// compared, and what waits done → refund the charges, give back that of the first proof, and
    /// record the device as known → open a session.
    ///
    /// The device is known only now. Attack: a thief of the password would get the owner's lane for
    /// the thief's own device, by the first proof alone.
    ///
    /// A crash between the completion and the session leaves a challenge that is used. A retry with
    /// the same idempotency key then gets the same account and opens the session (G-25).
    func completeSignIn(
        _ request: GatewayV1.CompleteSignInRequest, _ context: CallContext
    ) async throws -> GatewayV1.CompleteSignInResponse {
        let onward = try context.onward(for: SignInChallengesDescription.completeSignIn)
        let device = try request.device.requiredID()
        guard let shown = request.proof else {
            throw ServiceError(.invalidArgument, fields: ["proof"])
        }
        let challenge = try await proofs.getChallenge(
            IdentityV1.GetChallengeRequest(challenge: request.challenge, deviceId: device), onward)
        let completed = try await limits.countingSecondProof(context) {
            try await counting(shown, request, challenge, on: device, context) {
                try await proofs.completeChallenge(request, onward)
            }
        }
        await settleFirst(challenge, completed, on: device, context)
        let admission = completed.admission ?? IdentityV1.AdmissionResponse()
        let session = try await sessions.open(by: admission.proof, on: request.device, onward)
        return GatewayV1.CompleteSignInResponse(
            account: admission.account, session: session, isLinked: admission.isLinked,
            collision: admission.collision,
            history: admission.history.map(GatewayV1.SignInHistory.init),
            requiredActions: admission.requiredActions,
            recoveryCodesLeft: completed.recoveryCodesLeft)
    }

    /// Charges the limits of the proof's own kind, as in every flow that takes one.
    private func counting(
        _ shown: GatewayV1.CompleteSignInRequest.Proof, _ request: GatewayV1.CompleteSignInRequest,
        _ challenge: IdentityV1.GetChallengeResponse, on device: String, _ context: CallContext,
        _ attempt: () async throws -> IdentityV1.CompleteChallengeResponse
    ) async throws -> IdentityV1.CompleteChallengeResponse {
        switch shown {
        case .password:
            let (answer, charge) = try await limits.countingPasswordGuess(
                email: challenge.email, device: device, context
            ) { _ in try await attempt() }
            await limits.succeed(charge, context)
            return answer
        case .providerToken:
            return try await limits.countingProviderToken(
                .providerProof(
                    account: challenge.accountId, device: device, caller: LimitedCaller(context)),
                context
            ) { _ in try await attempt() }
        case .phoneCode:
            // Identity refuses the kind where there is no number.
            guard let number = PhoneNumber(challenge.phoneNumber) else {
                return try await attempt()
            }
            return try await limits.countingPhoneCode(
                number, request: request.challenge, device: device, context
            ) { _ in try await attempt() }
        case .emailCode:
            return try await limits.countingMailedCode(of: challenge.accountId, context, attempt)
        case .totpCode:
            return try await limits.countingTOTPCode(
                of: challenge.accountId, after: challenge.lane, device: device, context, attempt)
        case .passkey:
            return try await limits.countingPasskey(context) { _ in try await attempt() }
        // `second-proof-by-address` is charged for all kinds.
        case .recoveryCode:
            let answer = try await attempt()
            await limits.rememberFactor(
                of: challenge.accountId, after: challenge.lane, on: device, context)
            return answer
        }
    }

    /// Ends the first proof's part as its own flow would have.
    private func settleFirst(
        _ challenge: IdentityV1.GetChallengeResponse,
        _ completed: IdentityV1.CompleteChallengeResponse, on device: String,
        _ context: CallContext
    ) async {
        guard !challenge.isReset else {
            await limits.startFactorsOver(of: challenge.accountId, context)
            return await limits.remember(
                challenge.email, on: device, forgettingOthers: completed.forgetDevices, context)
        }
        // It was charged with metadata that were well-formed, as those of this call are.
        guard let caller = try? LimitedCaller(context) else { return }
        let action: LimitedAction =
            switch SignInMethod(name: challenge.method) {
            case .password: .signIn(email: challenge.email, device: device, caller: caller)
            case .phone:
                .phoneCodeGuess(
                    number: challenge.phoneNumber, request: "", device: device, caller: caller)
            case .passkey: .passkey(caller: caller)
            case .provider: .providerSignIn(device: device, caller: caller)
            }
        await limits.giveBack(
            challenge.chargeId, of: action, signedIn: completed.admission?.account, context)
    }
}

extension IdentityV1.GetChallengeResponse {
    /// The first proof, whose guesses at codes of authenticator apps are counted together.
    fileprivate var lane: TOTPLane {
        if isReset { return .resetLink }
        return switch SignInMethod(name: method) {
        case .password: .password
        case .phone: .phone
        // No demand asks for a code after a passkey: it is both proofs.
        case .passkey, .provider: .provider
        }
    }
}
