import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("F-04: a person with an authenticator app steps up", .timeLimit(.minutes(1)))
struct StepUpTests {
    private static let device = GatewayV1.Device(deviceId: "d1", platform: "cli")

    let fixture: GatewayFixture
    let ada: SignedIn
    /// Of the app.
    let secret: SecretBytes
    /// What its set-up has answered.
    let confirmed: GatewayV1.ConfirmTOTPResponse

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        let factors = SecondFactorsClient(fixture.front)
        let context = fixture.context().bearing(ada.session.accessToken)
        let begun = try await factors.beginTOTP(.init(), context)
        secret = SecretBytes(copying: try #require(Base32.decodeLeniently(begun.secret)))
        confirmed = try await factors.confirmTOTP(
            .init(
                enrollmentToken: begun.enrollmentToken,
                code: Self.code(of: secret, at: fixture.time.now()), name: "phone",
                device: Self.device), context)
    }

    private static func code(of secret: SecretBytes, at moment: Timestamp) -> SecretBytes {
        SecretBytes(copying: TOTP.code(of: secret, at: TOTP.step(at: moment)))
    }

    /// What the app shows now.
    private var code: SecretBytes { Self.code(of: secret, at: fixture.time.now()) }

    private func reauthenticate(
        _ proof: GatewayV1.ReauthenticateRequest.Proof
    ) async throws -> GatewayV1.ReauthenticateResponse {
        try await fixture.accountSessions.reauthenticate(
            .init(device: Self.device, proof: proof),
            fixture.context().bearing(confirmed.accessToken))
    }

    private func check(
        _ acr: String, in token: String? = nil
    ) async throws -> GatewayV1.CheckRecentProofResponse {
        try await fixture.accountSessions.checkRecentProof(
            .init(minAcr: acr), fixture.context().bearing(token ?? confirmed.accessToken))
    }

    private func acr(of token: String) async throws -> String {
        try await fixture.verification.introspectToken(
            .init(accessToken: token), fixture.context()
        ).acr
    }

    @Test("the set-up answers a token of aal2 for the same session, which keeps it")
    func confirmation() async throws {
        #expect(try await acr(of: ada.session.accessToken) == "aal1")
        #expect(try await acr(of: confirmed.accessToken) == "aal2")
        #expect(confirmed.recoveryCodes.count == 10)
        let child = try await fixture.refresh(ada.session.refreshToken)
        #expect(try await acr(of: child.accessToken) == "aal2")
        let entries = try await fixture.accountSessions.listSessions(
            .init(), fixture.context().bearing(child.accessToken)
        ).sessions
        #expect(entries.map(\.sessionId) == [ada.session.sessionId])
        #expect(entries.map(\.acr) == ["aal2"])
    }

    @Test("a backend that demands aal2 gets it from the app, and not from the password")
    func stepUp() async throws {
        let first = try await check("aal2")
        #expect(first.amr == ["otp", "totp", "mfa"] && first.acr == "aal2")
        fixture.time.advance(by: .seconds(300))
        let old = try await refusal { try await check("aal2") }
        #expect(old.code == .requiresRecentLogin)
        #expect(old.acceptableProofs == ["recovery_code", "totp_code"])
        _ = try await reauthenticate(.password("Correct7Horse"))
        #expect(try await refusal { try await check("aal2") } == old)
        let weaker = try await check("aal1")
        #expect(weaker.amr == ["pwd"] && weaker.acr == "aal2", "of the session, not of the proof")
        #expect(try await check("").amr == ["pwd"])
        let answer = try await reauthenticate(.totpCode(code))
        #expect(answer.recoveryCodesLeft == 0)
        #expect(answer.authenticatedAtMs == fixture.time.now().milliseconds)
        #expect(try await check("aal2", in: answer.accessToken).amr == ["otp", "totp", "mfa"])
    }

    @Test("a recovery code does it too, and the answer says how many are left")
    func recovery() async throws {
        fixture.time.advance(by: .seconds(300))
        let code = try #require(confirmed.recoveryCodes.first)
        let answer = try await reauthenticate(.recoveryCode(SecretBytes(code)))
        #expect(answer.recoveryCodesLeft == 9)
        #expect(try await check("aal2").amr == ["otp", "recovery", "mfa"])
        let again = try await refusal {
            try await reauthenticate(.recoveryCode(SecretBytes(code)))
        }
        #expect(again.code == .invalidCode)
    }

    @Test(
        "R-03: wrong codes are counted; the right one waits then, and a recovery code is the way in"
    )
    func counted() async throws {
        for _ in 0..<5 {
            let wrong = try await refusal { try await reauthenticate(.totpCode("x")) }
            #expect(wrong.code == .invalidCode)
        }
        fixture.time.advance(by: .seconds(60))
        #expect(
            try await refusal { try await reauthenticate(.totpCode(code)) }.code
                == .tooManyRequests)
        let recovery = try #require(confirmed.recoveryCodes.last)
        _ = try await reauthenticate(.recoveryCode(SecretBytes(recovery)))
        #expect(try fixture.inner.left("second-proof-by-address", "192.0.2.7") == 50 - 5)
    }

    @Test("a demand that no account could meet, and an account that cannot meet it, are told apart")
    func demands() async throws {
        for acr in ["aal3", "AAL2", "2"] {
            #expect(try await refusal { try await check(acr) }.fields == ["min_acr"])
        }
        let eve = try await fixture.signUp("eve@example.org")
        let refused = try await refusal { try await check("aal2", in: eve.session.accessToken) }
        #expect(refused.code == .requiresRecentLogin && refused.acceptableProofs == [])
    }

    /// Attack: somebody knows the password, and finds the phone unlocked.
    @Test("G-12: a new password needs the current one and a recent second proof")
    func password() async throws {
        func change() async throws {
            _ = try await fixture.passwords.changePassword(
                .init(
                    currentPassword: "Correct7Horse", newPassword: "Owners9Password",
                    device: Self.device), fixture.context().bearing(confirmed.accessToken))
        }
        fixture.time.advance(by: .seconds(300))
        _ = try await reauthenticate(.password("Correct7Horse"))
        let refused = try await refusal { try await change() }
        #expect(refused.code == .requiresRecentLogin)
        #expect(refused.acceptableProofs == ["recovery_code", "totp_code"])
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 5)
        _ = try await reauthenticate(.totpCode(code))
        try await change()
    }
}
