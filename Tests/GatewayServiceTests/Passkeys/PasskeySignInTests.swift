import Contracts
import Cryptography
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("F-01: passkeys at the gateway", .timeLimit(.minutes(1)))
struct PasskeySignInTests {
    private static let device = GatewayV1.Device(deviceId: "d1", platform: "cli")

    let fixture: GatewayFixture
    let ada: SignedIn
    let passkey: TestPasskey

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        passkey = try .repeatable(randomness: SecureRandomness())
        let context = fixture.context().bearing(ada.session.accessToken)
        let begun = try await client.beginPasskeyAdd(.init(), context)
        let made = TestCeremony(challenge: try #require(begun.options).challenge)
            .registration(of: passkey)
        _ = try await client.addPasskey(
            .init(credential: .init(made), device: Self.device), context)
    }

    private var client: PasskeysClient { PasskeysClient(fixture.front) }

    /// A ceremony for a new challenge of a sign-in.
    private func ceremony() async throws -> TestCeremony {
        let begun = try await client.beginPasskeySignIn(.init(), fixture.context())
        return TestCeremony(challenge: try #require(begun.options).challenge)
    }

    private func signIn(
        _ ceremony: TestCeremony, key: String? = nil
    ) async throws -> GatewayV1.SignInWithPasskeyResponse {
        try await client.signInWithPasskey(
            .init(credential: .init(try ceremony.assertion(by: passkey)), device: Self.device),
            fixture.context(key))
    }

    @Test("F-01: a sign-in opens a session of aal2; its repeat has the same account")
    func signsIn() async throws {
        let ceremony = try await ceremony()
        let answer = try await signIn(ceremony, key: "k")
        #expect(answer.account?.accountId == ada.account.accountId)
        let token = try #require(answer.session).accessToken
        let known = try await fixture.verification.introspectToken(
            .init(accessToken: token), fixture.context())
        #expect(known.active && known.acr == "aal2")
        let again = try await signIn(ceremony, key: "k")
        #expect(again.account?.accountId == ada.account.accountId && again.session != nil)
        #expect(try await refusal { try await signIn(ceremony) }.code == .invalidPasskey)
    }

    @Test("F-01: in a session it is a recent proof of aal2")
    func reauthenticates() async throws {
        let context = fixture.context().bearing(ada.session.accessToken)
        let begun = try await client.beginPasskeyProof(.init(device: Self.device), context)
        let options = try #require(begun.options)
        #expect(options.allowCredentials.map(\.id) == [Base64URL.encode(passkey.id)])
        let proof = try TestCeremony(challenge: options.challenge).assertion(by: passkey)
        let answer = try await fixture.accountSessions.reauthenticate(
            .init(device: Self.device, proof: .passkey(.init(proof))), context)
        _ = try await fixture.accountSessions.checkRecentProof(
            .init(kinds: [.passkey], minAcr: "aal2"),
            fixture.context().bearing(answer.accessToken))
        let demanded = try await refusal {
            try await fixture.accountSessions.checkRecentProof(
                .init(kinds: [.deviceKey]), fixture.context().bearing(answer.accessToken))
        }
        #expect(demanded.code == .requiresRecentLogin, "a passkey is no device's key")
    }

    @Test("R-03: refused signatures are counted by address, and lock no account")
    func limited() async throws {
        for _ in 0..<50 {
            let error = try await refusal { try await signIn(TestCeremony(challenge: "x")) }
            #expect(error.code == .invalidPasskey)
        }
        let right = try await ceremony()
        #expect(try await refusal { try await signIn(right) }.code == .tooManyRequests)
        let elsewhere = try await client.signInWithPasskey(
            .init(credential: .init(try right.assertion(by: passkey)), device: Self.device),
            fixture.context(address: "198.51.100.9"))
        #expect(elsewhere.account?.accountId == ada.account.accountId)
    }
}
