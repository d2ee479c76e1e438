import Contracts
import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-10: an app refreshes its session through the gateway", .timeLimit(.minutes(1)))
struct RefreshTests {
    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    @Test("G-10: each refresh returns the next token pair of the same session")
    func rotates() async throws {
        var session = ada.session
        for _ in 0..<5 {
            fixture.time.advance(by: .seconds(600))
            let child = try await fixture.refresh(session.refreshToken)
            #expect(child.sessionId == session.sessionId)
            #expect(child.refreshToken != session.refreshToken)
            #expect(child.accessToken != session.accessToken)
            #expect(try await fixture.check(child.accessToken).authenticated)
            session = child
        }
    }

    @Test("G-10: a replayed refresh token ends its session and no other")
    func replay() async throws {
        let other = try await fixture.signIn()
        let child = try await fixture.refresh(ada.session.refreshToken)
        #expect(
            try await fixture.check(child.accessToken).authenticated, "the response has arrived")
        let replay = try await refusal { try await fixture.refresh(ada.session.refreshToken) }
        #expect(replay == ServiceError(.refreshTokenReplayed))
        for token in [ada.session.accessToken, child.accessToken] {
            let state = try await fixture.check(token)
            #expect(!state.authenticated)
            #expect(state.reason == .security)
        }
        let ended = try await refusal { try await fixture.refresh(child.refreshToken) }
        #expect(ended.code == .sessionEnded)
        #expect(try await fixture.check(other.session.accessToken).authenticated)
        _ = try await fixture.refresh(other.session.refreshToken)
    }

    @Test("G-10: 20 parallel refreshes with one token return the same child, which is valid")
    func parallel() async throws {
        let children = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { try await fixture.refresh(ada.session.refreshToken).refreshToken }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(children.count == 1)
        _ = try await fixture.refresh(try #require(children.first))
    }

    @Test("S-04: a session bound to a device key refreshes and signs out only with its proof")
    func bound() async throws {
        let key = try Ed25519SigningKey(
            seed: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
        func sign(_ parts: [[UInt8]]) throws -> [UInt8] {
            try key.sign(DelimitedParts.joined(parts))
        }
        func proof(_ token: String) throws -> GatewayV1.DeviceProof {
            let now = fixture.time.now().milliseconds
            let moment = (0..<8).map { UInt8(truncatingIfNeeded: now >> (56 - $0 * 8)) }
            return GatewayV1.DeviceProof(
                signedAtMs: now,
                signature: try sign(
                    [Array("postern refresh v1".utf8), Array(token.utf8), moment]))
        }
        let publicKey = key.verifyingKey.bytes
        let deviceKey = GatewayV1.DeviceKey(
            kind: .ed25519, publicKey: publicKey,
            possession: try sign(
                [Array("postern device key v1".utf8), publicKey, Array("d3".utf8)]))
        let device = GatewayV1.Device(deviceId: "d3", platform: "ios", key: deviceKey)
        let answer = try await fixture.auth.signInWithPassword(
            .init(email: "ada@example.org", password: "Correct7Horse", device: device),
            fixture.context())
        let token = try #require(answer.session).refreshToken
        let error = try await refusal { try await fixture.refresh(token) }
        #expect(error.code == .deviceProofRequired)
        let child = try await fixture.auth.refreshSession(
            .init(refreshToken: token, device: device, deviceProof: try proof(token)),
            fixture.context())
        let leaf = try #require(child.session).refreshToken
        let out = try await fixture.auth.signOut(
            .init(refreshToken: leaf, deviceProof: try proof(leaf)), fixture.context())
        #expect(out.endedSessions == 1)
    }

    @Test("G-10: only a refresh token is accepted as a refresh token")
    func others() async throws {
        for token in ["", "x", ada.session.accessToken, ada.session.refreshToken + "A"] {
            let error = try await refusal { try await fixture.refresh(token) }
            #expect(error == ServiceError(.invalidRefreshToken))
        }
        _ = try await fixture.refresh(ada.session.refreshToken)
    }
}
