import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03, F-04: an owner authenticates again by a second factor", .timeLimit(.minutes(1)))
struct ProveBySecondFactorTests {
    let fixture: IdentityFixture
    /// "acc_…"
    let account: String
    /// The access token.
    let token: String
    let factor: PlantedFactor

    init() async throws {
        fixture = try IdentityFixture()
        (account, token) = try await fixture.member()
        factor = try await fixture.plantFactor(in: account)
    }

    private var now: SecretBytes { factor.code(at: fixture.time.now()) }

    private func prove(
        _ proof: GatewayV1.ReauthenticateRequest.Proof?, in session: String? = nil,
        key: String? = nil
    ) async throws -> IdentityV1.ProveBySecondFactorResponse {
        try await fixture.secondProofs.proveBySecondFactor(
            .init(device: IdentityFixture.device, proof: proof),
            fixture.relayed(session ?? token, key))
    }

    @Test("F-03, F-04: a code of the app is a proof of aal2, and opens no session")
    func app() async throws {
        let answer = try await prove(.totpCode(now))
        let proof = try #require(answer.proof)
        #expect(proof.accountId == account && proof.amr == ["otp", "totp", "mfa"])
        #expect(Assurance(of: proof.amr) == .aal2)
        #expect(proof.purpose == .reauthentication && fixture.keys.proofs.isGenuine(proof))
        #expect(answer.recoveryCodesLeft == 0)
        #expect(try await fixture.audited("sign-in.succeeded") == 0)
    }

    @Test("F-03: a code is right once, and one of an earlier step no more")
    func once() async throws {
        let before = factor.code(at: fixture.time.now() - .seconds(30))
        _ = try await prove(.totpCode(now))
        for used in [now, before] {
            #expect(try await refusal { try await prove(.totpCode(used)) }.code == .invalidCode)
        }
        #expect(
            try await fixture.audited(
                "second-factor.refused", outcome: "auth/invalid-verification-code") == 2)
        fixture.time.advance(by: .seconds(30))
        _ = try await prove(.totpCode(now))
    }

    @Test("F-03: a recovery code is a proof of aal2 once; the answer says how many are left")
    func recovery() async throws {
        let code = factor.recoveryCode(3)
        let answer = try await prove(.recoveryCode(code))
        #expect(answer.proof?.amr == ["otp", "recovery", "mfa"] && answer.recoveryCodesLeft == 9)
        #expect(try await refusal { try await prove(.recoveryCode(code)) }.code == .invalidCode)
        #expect(try await prove(.recoveryCode(factor.recoveryCode(4))).recoveryCodesLeft == 8)
        #expect(try await fixture.audited("recovery-code.used") == 2)
    }

    @Test("F-03: wrong codes, and those of another account, are refused alike and recorded")
    func wrong() async throws {
        let (eve, _) = try await fixture.member("eve@example.org")
        let others = try await fixture.plantFactor(in: eve)
        let wrong: [GatewayV1.ReauthenticateRequest.Proof] = [
            .totpCode(others.code(at: fixture.time.now())),
            .totpCode(factor.code(at: fixture.time.now() + .seconds(90))),
            .totpCode(SecretBytes("x")), .totpCode(.empty),
            .recoveryCode(others.recoveryCode(0)), .recoveryCode(now),
            .totpCode(factor.recoveryCode(0)),
        ]
        for proof in wrong {
            let error = try await refusal { try await prove(proof) }
            #expect(error == ServiceError(.invalidCode, fields: ["code"]), "as compared")
        }
        #expect(try await fixture.audited("second-factor.refused") == Int64(wrong.count))
        #expect(try await fixture.count("recovery_codes") == 20)
    }

    @Test("F-03: an account without a factor has no right code")
    func without() async throws {
        let (_, eve) = try await fixture.member("eve@example.org")
        for proof in [.totpCode(now), .recoveryCode(factor.recoveryCode(0))]
            as [GatewayV1.ReauthenticateRequest.Proof]
        {
            #expect(try await refusal { try await prove(proof, in: eve) }.code == .invalidCode)
        }
    }

    @Test("G-25: a repeat gets another proof of the first time; another code does not")
    func repeated() async throws {
        let code = now
        let first = try #require(try await prove(.totpCode(code), key: "k").proof)
        fixture.time.advance(by: .seconds(300))
        let again = try #require(try await prove(.totpCode(code), key: "k").proof)
        #expect(again.authTimeMs == first.authTimeMs && again.nonce != first.nonce)
        #expect(again.provedAtMs == fixture.time.now().milliseconds)
        let other = try await refusal { try await prove(.totpCode(now), key: "k") }
        #expect(other.code == .idempotencyKeyReused)
        let recovery = GatewayV1.ReauthenticateRequest.Proof.recoveryCode(factor.recoveryCode(0))
        #expect(try await prove(recovery, key: "r").recoveryCodesLeft == 9)
        #expect(try await prove(recovery, key: "r").recoveryCodesLeft == 9)
    }

    @Test("F-03: other proofs, a guest's way in, and calls outside of a live session are refused")
    func refused() async throws {
        for proof in [nil, .password("Correct7Horse"), .phoneCode(.init())]
            as [GatewayV1.ReauthenticateRequest.Proof?]
        {
            #expect(try await refusal { try await prove(proof) }.fields == ["proof"])
        }
        #expect(
            try await refusal { try await prove(.totpCode(now), in: "x") }.code == .sessionEnded)
        let other = fixture.devices.open(account)
        fixture.devices.end(other)
        #expect(
            try await refusal { try await prove(.totpCode(now), in: other) }.code == .sessionEnded)
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(
            try await refusal { try await prove(.totpCode(now)) }.code == .accountDisabled)
    }
}
