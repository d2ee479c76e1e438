import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-13: the gateway checks recent proofs for an app's own sensitive calls")
struct CheckRecentProofTests {
    let fixture: GatewayFixture
    private let device: AppDevice

    init() async throws {
        fixture = try await GatewayFixture()
        device = try AppDevice()
    }

    private func check(
        _ token: String, within seconds: Int64? = nil, _ kinds: [GatewayV1.ProofKind] = []
    ) async throws -> GatewayV1.CheckRecentProofResponse {
        try await fixture.accountSessions.checkRecentProof(
            .init(kinds: kinds, maxAge: seconds.map { .maxAgeMs($0 * 1_000) }),
            fixture.context().bearing(token))
    }

    private func reauthenticate(
        _ token: String, _ proof: GatewayV1.ReauthenticateRequest.Proof
    ) async throws -> GatewayV1.ReauthenticateResponse {
        try await fixture.accountSessions.reauthenticate(
            .init(
                device: .init(deviceId: device.id, platform: "ios"),
                proof: proof), fixture.context().bearing(token))
    }

    /// Signs in on a device that has registered its key.
    private func signInWithKey() async throws -> GatewayV1.Session {
        _ = try await fixture.signUp()
        let answer = try await fixture.auth.signInWithPassword(
            .init(
                email: "ada@example.org", password: "Correct7Horse",
                device: .init(deviceId: device.id, platform: "ios", key: try device.key())),
            fixture.context())
        return try #require(answer.session)
    }

    @Test("G-13: a sign-in is a proof until the limit, to the millisecond; then a password is one")
    func password() async throws {
        let person = try await fixture.signUp()
        let token = person.session.accessToken
        let signedInAt = fixture.time.now().milliseconds
        fixture.time.advance(by: .milliseconds(299_999))
        let owner = try await check(token)
        #expect(owner.accountId == person.account.accountId)
        #expect(owner.sessionId == person.session.sessionId)
        #expect(owner.amr == ["pwd"] && owner.provedAtMs == signedInAt)
        fixture.time.advance(by: .milliseconds(1))
        let refused = try await refusal { try await check(token) }
        #expect(refused.code == .requiresRecentLogin && refused.acceptableProofs == ["password"])
        _ = try await check(token, within: 301)
        let again = try await reauthenticate(token, .password("Correct7Horse"))
        #expect(
            try await check(token).provedAtMs == again.authenticatedAtMs,
            "it is the session's proof")
    }

    @Test("G-13: with a device key the error names both kinds, and a call can demand either")
    func deviceKey() async throws {
        let session = try await signInWithKey()
        fixture.time.advance(by: .seconds(400))
        let token = session.accessToken
        #expect(
            try await refusal { try await check(token) }.acceptableProofs == [
                "device_key", "password",
            ])
        #expect(
            try await refusal { try await check(token, within: 60, [.deviceKey]) }.acceptableProofs
                == ["device_key"])
        let presence = try device.presence(token, at: fixture.time.now())
        let answer = try await reauthenticate(token, .deviceKey(presence))
        #expect(try await check(answer.accessToken, within: 60).amr == ["hwk", "user"])
        #expect(
            try await check(answer.accessToken, within: 60, [.deviceKey, .password]).amr
                == ["hwk", "user"])
        let refused = try await refusal {
            try await check(answer.accessToken, within: 60, [.password])
        }
        #expect(refused.code == .requiresRecentLogin && refused.acceptableProofs == ["password"])
        #expect(try await check(token, within: 600, [.password]).amr == ["pwd"])
    }

    @Test("G-13: without a device key or password, the error names no kind of proof")
    func nothing() async throws {
        let person = try await fixture.signUp()
        fixture.time.advance(by: .seconds(400))
        let refused = try await refusal {
            try await check(person.session.accessToken, within: 60, [.deviceKey])
        }
        #expect(refused.code == .requiresRecentLogin && refused.acceptableProofs == [])
        _ = try await fixture.inner.identityStore.writeUnchecked {
            try $0.execute("DELETE FROM passwords", [])
        }
        #expect(
            try await refusal { try await check(person.session.accessToken) }.acceptableProofs == []
        )
    }

    @Test("G-13: an invalid token and an invalid demand are rejected")
    func stranger() async throws {
        let person = try await fixture.signUp()
        let token = person.session.accessToken
        #expect(try await refusal { try await check("x") }.code == .invalidAccessToken)
        for seconds: Int64 in [86_401, -1] {
            #expect(
                try await refusal { try await check(token, within: seconds) }.fields
                    == ["max_age_ms"])
        }
        for kind in [GatewayV1.ProofKind.unspecified, GatewayV1.ProofKind(rawValue: 77)] {
            #expect(try await refusal { try await check(token, [kind]) }.fields == ["kinds"])
        }
        _ = try await fixture.signOut(.accessToken(token))
        #expect(try await refusal { try await check(token) }.code == .sessionEnded)
    }

    @Test("G-13: a device key's proof fails if the account is suspended, and charges no limit")
    func suspended() async throws {
        let session = try await signInWithKey()
        let presence = try device.presence(session.accessToken, at: fixture.time.now())
        let wrong = try device.presence("another token", at: fixture.time.now())
        let error = try await refusal {
            try await reauthenticate(session.accessToken, .deviceKey(wrong))
        }
        #expect(error.code == .invalidDeviceProof)
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 5)
        try await fixture.inner.setStatus(2)
        let refused = try await refusal {
            try await reauthenticate(session.accessToken, .deviceKey(presence))
        }
        #expect(refused.code == .accountDisabled)
    }
}

/// An app's device, which signs as the protos specify.
private struct AppDevice {
    let id = "a phone"
    private let signer: Ed25519SigningKey

    init() throws {
        signer = try Ed25519SigningKey(seed: SecretBytes(copying: [UInt8](repeating: 9, count: 32)))
    }

    func key() throws -> GatewayV1.DeviceKey {
        let publicKey = signer.verifyingKey.bytes
        let covered = DelimitedParts.joined([
            Array("postern device key v1".utf8), publicKey, Array(id.utf8),
        ])
        return GatewayV1.DeviceKey(
            kind: .ed25519, publicKey: publicKey, possession: try signer.sign(covered))
    }

    func presence(_ token: String, at moment: Timestamp) throws -> GatewayV1.PresenceProof {
        let milliseconds = withUnsafeBytes(of: moment.milliseconds.bigEndian) { Array($0) }
        let covered = DelimitedParts.joined([
            Array("postern presence v1".utf8), Array(token.utf8), milliseconds, [1],
        ])
        return GatewayV1.PresenceProof(
            signedAtMs: moment.milliseconds, hardwareKey: true, signature: try signer.sign(covered))
    }
}
