import Contracts
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife
@testable import GatewayService
@testable import IdentityAssembly

// An authenticator app, and what is asked of a person who has one.

extension PreparedPerson {
    func enrollment() async throws -> CallEnrollment {
        try await once("enrollment") {
            CallEnrollment(try await gateway.secondFactors.beginTOTP(.init(), inside))
        }
    }

    func factor() async throws -> CallFactor {
        try await once("factor") {
            let enrollment = try await enrollment()
            let answer = try await gateway.secondFactors.confirmTOTP(
                .init(
                    enrollmentToken: enrollment.token,
                    code: Bound.secret(enrollment.code(at: gateway.time.now())), name: name,
                    device: own), inside)
            stepsUp(answer.accessToken)
            // What ends the other sessions is later than their proofs.
            gateway.time.advance(by: .seconds(1))
            return CallFactor(
                id: try thing(answer.factor?.factorId), recoveryCodes: answer.recoveryCodes)
        }
    }

    func factorChallenge() async throws -> String {
        _ = try await factor()
        return try await once("factor challenge") {
            let error = try await refusal {
                try await gateway.auth.signInWithPassword(
                    .init(email: email, password: Bound.secret(Bound.password), device: own),
                    outside)
            }
            return try #require(error.secondProof?.challenge)
        }
    }

    func appCode() async throws -> String {
        let enrollment = try await enrollment()
        // That of the present step has confirmed the app.
        let later: Int64 = isPrepared("factor") ? 1 : 0
        return try await once("app code") {
            enrollment.code(at: gateway.time.now(), later: later)
        }
    }

    /// Support begins to remove its factors.
    func losesItsFactors() async throws {
        _ = try await factor()
        _ = try await gateway.inner.identity.life.accountAdmin.resetSecondFactors(
            .init(accountId: signedIn.account.accountId, reason: "lost", actor: "ann"),
            CallContext(application: "tool", deadline: gateway.time.uptime() + .seconds(10)))
    }
}
