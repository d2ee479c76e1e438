import Contracts
import Messages
import RPC

// Second proofs of sign-ins, and the factors that give them.

extension PublicCalls {
    static let challenges: [PublicCall] = [
        .init(SignInChallengesDescription.completeSignIn, .stranger, "password", once: true) {
            caller, _ in
            GatewayV1.CompleteSignInRequest(
                challenge: try await caller.challenge(), device: caller.own,
                proof: .password(Bound.secret(Bound.password)))
        },
        .init(SignInChallengesDescription.completeSignIn, .stranger, "provider", once: true) {
            caller, _ in
            GatewayV1.CompleteSignInRequest(
                challenge: try await caller.challenge(), device: caller.own,
                proof: .providerToken(try await caller.token(of: "apple", 0)))
        },
        .init(SignInChallengesDescription.completeSignIn, .stranger, "mailed code", once: true) {
            caller, _ in
            let (challenge, code) = try await caller.mailedChallengeCode()
            return GatewayV1.CompleteSignInRequest(
                challenge: challenge, device: caller.own,
                proof: .emailCode(Bound.secret(Bound.code(code))))
        },
        .init(
            SignInChallengesDescription.completeSignIn, .stranger, "authenticator app", once: true
        ) { caller, _ in
            let challenge = try await caller.factorChallenge()
            return GatewayV1.CompleteSignInRequest(
                challenge: challenge, device: caller.own,
                proof: .totpCode(Bound.secret(Bound.code(try await caller.appCode()))))
        },
        .init(SignInChallengesDescription.completeSignIn, .stranger, "recovery code", once: true) {
            caller, _ in
            let code = try await caller.factor().recoveryCodes[0]
            return GatewayV1.CompleteSignInRequest(
                challenge: try await caller.factorChallenge(), device: caller.own,
                proof: .recoveryCode(Bound.secret(Bound.recoveryCode(code))))
        },
        .init(SignInChallengesDescription.sendChallengeCode, .stranger) { caller, _ in
            GatewayV1.SendChallengeCodeRequest(
                challenge: try await caller.challenge(), kind: .email, device: caller.own)
        },
    ]

    static let factors: [PublicCall] = [
        .init(SecondFactorsDescription.listSecondFactors, .owner) { caller, _ in
            _ = try await caller.factor()
            return GatewayV1.ListSecondFactorsRequest()
        },
        .init(SecondFactorsDescription.beginTOTP, .owner, GatewayV1.BeginTOTPRequest()),
        .init(SecondFactorsDescription.confirmTOTP, .owner, once: true) { caller, _ in
            let enrollment = try await caller.enrollment()
            return GatewayV1.ConfirmTOTPRequest(
                enrollmentToken: enrollment.token,
                code: Bound.secret(Bound.code(try await caller.appCode())), name: Bound.text(64),
                device: caller.own)
        },
        .init(SecondFactorsDescription.removeSecondFactor, .owner, once: true) { caller, _ in
            GatewayV1.RemoveSecondFactorRequest(
                factorId: try await caller.factor().id, device: caller.own)
        },
        .init(SecondFactorsDescription.regenerateRecoveryCodes, .owner) { caller, _ in
            _ = try await caller.factor()
            return GatewayV1.RegenerateRecoveryCodesRequest(device: caller.own)
        },
        .init(SecondFactorsDescription.keepSecondFactors, .stranger, once: true) { caller, _ in
            GatewayV1.KeepSecondFactorsRequest(
                token: Bound.secret(try await caller.link(.keepSecondFactors)))
        },
    ]
}
