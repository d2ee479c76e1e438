import Contracts
import Cryptography
import Messages
import ProviderIssuer
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Google's grants and security events, with the built programs")
    struct GoogleGrantTests {
        private static let subject = "117"
        private static let email = "ada.7002@example.org"

        @Test("G-04: a grant is kept, and revoked at deletion; a security event ends sessions")
        func story() async throws {
            let google = try await ProviderIssuer()
            google.codes.give("code-canary", of: Self.subject, to: ProviderIssuer.audience)
            let settings = google.environment(for: "google").merging(google.googleGrants()) {
                own, _ in own
            }
            try await Cluster.with(environment: settings) { cluster in
                let backend = try StoryBackend(cluster)
                defer { backend.close() }
                let first = try await signIn(backend, google, code: "code-canary")
                #expect(
                    try await eventually(within: .seconds(10)) {
                        google.codes.exchanged == ["code-canary"]
                    })
                try await endSessions(first, try WebClient(cluster), backend, google)
                let second = try await signIn(backend, google)
                google.codes.failRevocations(3)
                try await delete(second, backend)
                #expect(
                    try await eventually(within: .seconds(30)) {
                        google.codes.revoked == [IssuerCodes.refreshToken(of: "code-canary")]
                    })
                #expect(google.codes.failedRevocations == 3)
            }
            await google.close()
        }

        private func signIn(
            _ backend: StoryBackend, _ google: ProviderIssuer, code: String = ""
        ) async throws -> GatewayV1.Session {
            let person = Person(7_002)
            let nonce = try await backend.providers.issueNonce(
                .init(provider: "google"), backend.context(person))
            let token = try google.token(
                .google(of: Self.subject, email: Self.email, nonce: nonce.providerNonce))
            let answer = try await backend.providers.signInWithProvider(
                .init(
                    token: .init(
                        provider: "google", idToken: token, nonce: nonce.nonce,
                        authorizationCode: code),
                    device: person.gatewayDevice), backend.context(person))
            return try #require(answer.session)
        }

        /// Google's event reaches the web service; a forged one before it has no effect.
        private func endSessions(
            _ session: GatewayV1.Session, _ web: WebClient, _ backend: StoryBackend,
            _ google: ProviderIssuer
        ) async throws {
            let claims = IssuedClaims.googleEvent(
                "sessions-revoked", of: Self.subject, issuer: google.issuer)
            let forged = try google.event(claims, key: IssuerKey(.rs256))
            let genuine = try google.event(claims)
            let person = Person(7_002)
            for (token, isLive) in [(forged, true), (genuine, false)] {
                let answer = try await web.curl(
                    "/google/notifications",
                    ["--header", "content-type: application/secevent+jwt", "--data", token])
                #expect(answer.status == 202, "\(answer.body)")
                #expect(
                    try await eventually(within: .seconds(10)) {
                        let state = try await backend.auth.checkAuthState(
                            .init(), backend.context(person).bearing(session.accessToken))
                        return state.authenticated == isLive
                    })
            }
            let malformed = try await web.curl("/google/notifications", ["--data", "x"])
            #expect(malformed.status == 400)
        }

        private func delete(
            _ session: GatewayV1.Session, _ backend: StoryBackend
        ) async throws {
            let context = backend.context(Person(7_002)).bearing(session.accessToken)
            let preview = try await backend.deletion.previewDeletion(.init(), context)
            #expect(preview.consequences.contains { $0.kind == "provider" })
            _ = try await backend.deletion.requestDeletion(
                .init(confirmationToken: preview.confirmationToken), context)
        }
    }
}
