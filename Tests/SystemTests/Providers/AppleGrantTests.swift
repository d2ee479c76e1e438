import Contracts
import Cryptography
import JSON
import Messages
import ProviderIssuer
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Apple's grants and notices, with the built programs")
    struct AppleGrantTests {
        /// Made for these tests only.
        private static let pem = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN69a41olqY7sfzK7
            H7YFy7b5BxtF9UdorUA24TH22UWhRANCAARp1dquIooJ6vA7GlIwZYm09oE6XCVH
            IAMluMe/ROBQhfyxsG8ADqPpmogZQIWU1JL0ySdJlIwNmf6BoqVwqMr9
            -----END PRIVATE KEY-----

            """
        private static let subject = "001234.0a1b2c.0123"
        private static let relay = "x7k2@privaterelay.appleid.com"

        private static let place = "https://app.example/apple?from=dialog"

        @Test("G-05: a web code is exchanged after the sign-in; a revoked consent ends the session")
        func story() async throws {
            let apple = try await ProviderIssuer()
            apple.codes.give(
                "code-canary", of: Self.subject, to: ProviderIssuer.audience,
                redirect: Self.place)
            let folder = try TemporaryFolder()
            let settings = [
                "POSTERN_APPLE_KEY_FILE": try folder.write(Self.pem, to: "AuthKey.p8"),
                "POSTERN_APPLE_KEY_ID": "KEYID12345", "POSTERN_APPLE_TEAM_ID": "TEAMID1234",
                "POSTERN_APPLE_URL": apple.issuer,
                "POSTERN_APPLE_REDIRECT_URIS": "\(ProviderIssuer.audience)=\(Self.place)",
            ].merging(apple.environment(for: "apple")) { own, _ in own }
            try await Cluster.with(environment: settings) { cluster in
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                let session = try await signIn(backend, apple)
                #expect(
                    try await eventually(within: .seconds(10)) {
                        apple.codes.exchanged == ["code-canary"]
                    })
                try await revoke(session, backend, apple)
            }
            await apple.close()
        }

        private func signIn(
            _ backend: StoryBackend, _ apple: ProviderIssuer
        ) async throws -> GatewayV1.Session {
            let person = Person(7_001)
            let nonce = try await backend.providers.issueNonce(
                .init(provider: "apple"), backend.context(person))
            let token = try apple.token(
                .apple(
                    of: Self.subject, email: Self.relay, isPrivate: true,
                    nonce: nonce.providerNonce))
            let answer = try await backend.providers.signInWithProvider(
                .init(
                    token: .init(
                        provider: "apple", idToken: token, nonce: nonce.nonce,
                        authorizationCode: "code-canary"),
                    device: person.gatewayDevice), backend.context(person))
            return try #require(answer.session)
        }

        private func revoke(
            _ session: GatewayV1.Session, _ backend: StoryBackend, _ apple: ProviderIssuer
        ) async throws {
            let events = #"{"type":"consent-revoked","sub":"\#(Self.subject)"}"#
            let payload = try apple.token(
                IssuedClaims([("jti", .string("j1")), ("events", .string(events))]))
            let person = Person(7_001)
            _ = try await backend.notices.receiveProviderNotice(
                .init(provider: "apple", payload: payload), backend.context(person))
            let isNotified = try await eventually(within: .seconds(10)) {
                let state = try await backend.auth.checkAuthState(
                    .init(), backend.context(person).bearing(session.accessToken))
                return state.reason == .providerRevoked
            }
            #expect(isNotified)
        }
    }
}
