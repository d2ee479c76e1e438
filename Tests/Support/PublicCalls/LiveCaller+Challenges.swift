import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport

// Sign-ins that wait for a second proof.

extension LiveCaller {
    /// The index of its number that has changed hands.
    private static let changed = 15

    package func challenge() async throws -> String {
        try await links("apple")
        return try await once("challenge") {
            let owner = try await self.owner
            self.callers.stage.changeNumber(Bound.e164(self.number, Self.changed))
            let code = try await self.code(for: .link, Self.changed)
            _ = try await self.clients.phone.linkPhone(
                .init(
                    requestId: code.requestId, phoneNumber: code.phoneNumber, code: code.code,
                    device: self.own), self.setUp(owner))
            var challenge: String?
            // Until identity has the provider's report, the code is enough.
            let isAsked = try await eventually {
                challenge = try await self.challengeBySignIn()
                return challenge != nil
            }
            guard isAsked, let challenge else { throw CallFailure("no second proof is asked for") }
            return challenge
        }
    }

    /// Signs in with a code to the number that has changed hands.
    /// - Returns: the challenge; nil if the code was enough.
    private nonisolated func challengeBySignIn() async throws -> String? {
        let code = try await code(for: nil, Self.changed)
        do {
            _ = try await clients.phone.signInWithPhoneCode(
                .init(
                    requestId: code.requestId, phoneNumber: code.phoneNumber, code: code.code,
                    device: own), setUp())
            return nil
        } catch let error as ServiceError where error.code == .secondProofRequired {
            return error.secondProof?.challenge
        }
    }

    package func mailedChallengeCode() async throws -> (challenge: String, code: String) {
        let challenge = try await challenge()
        let code = try await once("challenge code") {
            _ = try await self.clients.challenges.sendChallengeCode(
                .init(challenge: challenge, kind: .email, device: self.own), self.setUp())
            return try await self.callers.stage.mailedCode(to: Bound.mailbox(self.name))
        }
        return (challenge, code)
    }

    // MARK: Second factors

    package func enrollment() async throws -> CallEnrollment {
        try await once("enrollment") {
            CallEnrollment(
                try await self.clients.factors.beginTOTP(
                    .init(), self.setUp(try await self.owner)))
        }
    }

    package func factor() async throws -> CallFactor {
        try await once("factor") {
            let enrollment = try await self.enrollment()
            let answer = try await self.clients.factors.confirmTOTP(
                .init(
                    enrollmentToken: enrollment.token,
                    code: Bound.secret(enrollment.code(at: SystemTime().now())),
                    device: self.own), self.setUp(try await self.owner))
            await self.stepUp(answer.accessToken)
            return CallFactor(
                id: answer.factor?.factorId ?? "", recoveryCodes: answer.recoveryCodes)
        }
    }

    package func factorChallenge() async throws -> String {
        _ = try await factor()
        return try await once("factor challenge") {
            do {
                _ = try await self.clients.auth.signInWithPassword(
                    .init(
                        email: self.email, password: Bound.secret(Bound.password),
                        device: self.own), self.setUp())
            } catch let error as ServiceError where error.code == .secondProofRequired {
                return error.secondProof?.challenge ?? ""
            }
            throw CallFailure("no second proof is asked for")
        }
    }

    package func appCode() async throws -> String {
        let enrollment = try await enrollment()
        // That of the present step has confirmed the app.
        let later: Int64 = made["factor"] == nil ? 0 : 1
        return try await once("app code") {
            enrollment.code(at: SystemTime().now(), later: later)
        }
    }
}
