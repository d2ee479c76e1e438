import Contracts
import Messages
import RPC
import ServiceRuntime
import Testing

extension SystemTests.Stories {
    @Suite("D3 5: logout")
    struct Logout {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("D3 5.1: after a sign-out the session is invalid")
        func out() async throws {
            let ada = Person(15_001)
            let session = try await fixture.signUp(ada).session
            #expect(try await signOut(session, ada) == 1)
            let state = try await fixture.state(session, of: ada)
            #expect(!state.authenticated && state.reason == .revoked && state.account == nil)
        }

        @Test("D3 5.2: after a sign-out no token of the session is accepted")
        func tokens() async throws {
            let ada = Person(15_002)
            let session = try #require(try await fixture.signUp(ada).session)
            _ = try await signOut(session, ada)
            let context = fixture.backend.context(ada)
            let refreshed = try await refusal {
                try await fixture.backend.auth.refreshSession(
                    .init(refreshToken: session.refreshToken, device: ada.gatewayDevice), context)
            }
            #expect(refreshed.code == .sessionEnded)
            let listed = try await refusal {
                try await fixture.backend.sessions.listSessions(
                    .init(), context.bearing(session.accessToken))
            }
            #expect(listed.code == .sessionEnded || listed.code == .invalidAccessToken)
            let linked = try await refusal {
                try await fixture.backend.methods.listSignInMethods(
                    .init(), context.bearing(session.accessToken))
            }
            #expect(linked.code == .sessionEnded || linked.code == .invalidAccessToken)
        }

        @Test("D3 5.3: a user who returns later gets a new session")
        func later() async throws {
            let ada = Person(15_003)
            let session = try await fixture.signUp(ada).session
            _ = try await signOut(session, ada)
            #expect(try await !fixture.state(session, of: ada).authenticated)
            let again = try await fixture.signIn(ada)
            #expect(again.session?.sessionId != session?.sessionId)
            #expect(try await fixture.state(again.session, of: ada).authenticated)
        }

        private func signOut(
            _ session: GatewayV1.Session?, _ person: Person
        ) async throws -> UInt32 {
            try await fixture.backend.auth.signOut(
                .init(), fixture.backend.context(person).bearing(session?.accessToken)
            ).endedSessions
        }
    }
}
