import Messages
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-09: a user signs out through the gateway", .timeLimit(.minutes(1)))
struct SignOutTests {
    let fixture: GatewayFixture
    let one: SignedIn
    let two: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        one = try await fixture.signUp()
        two = try await fixture.signIn(device: "d2")
    }

    @Test("G-09: signing out ends this session at once and no other")
    func this() async throws {
        #expect(try await fixture.signOut(.accessToken(one.session.accessToken)) == 1)
        #expect(try await fixture.check(one.session.accessToken).reason == .revoked)
        let error = try await refusal { try await fixture.refresh(one.session.refreshToken) }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.check(two.session.accessToken).authenticated)
        _ = try await fixture.refresh(two.session.refreshToken)
    }

    @Test("G-09: an expired access token is accepted for signing out")
    func expired() async throws {
        fixture.time.advance(by: .seconds(86_400))
        #expect(try await fixture.check(one.session.accessToken).reason == .accessTokenExpired)
        #expect(try await fixture.signOut(.accessToken(one.session.accessToken)) == 1)
        #expect(try await fixture.check(one.session.accessToken).reason == .revoked)
    }

    @Test("G-09: a refresh token is accepted for signing out")
    func byRefreshToken() async throws {
        #expect(try await fixture.signOut(.refreshToken(one.session.refreshToken)) == 1)
        #expect(try await fixture.check(one.session.accessToken).reason == .revoked)
    }

    @Test("G-09: signing out everywhere ends every session of the account and of no other")
    func all() async throws {
        let bob = try await fixture.signUp("bob@example.org")
        #expect(try await fixture.signOut(.accessToken(one.session.accessToken), all: true) == 2)
        for session in [one.session, two.session] {
            #expect(try await fixture.check(session.accessToken).reason == .revoked)
        }
        #expect(try await fixture.check(bob.session.accessToken).authenticated)
        _ = try await fixture.signIn()
    }

    @Test("G-09: signing out again is no error and ends nothing more")
    func again() async throws {
        _ = try await fixture.signOut(.accessToken(one.session.accessToken))
        #expect(try await fixture.signOut(.accessToken(one.session.accessToken)) == 0)
        #expect(try await fixture.signOut(.accessToken(one.session.accessToken), all: true) == 0)
        #expect(try await fixture.check(two.session.accessToken).authenticated)
    }

    @Test("G-09: without a token of ours, no session is ended")
    func refused() async throws {
        #expect(
            try await refusal { try await fixture.signOut(nil) }
                == ServiceError.invalidArgument(
                    "authorization", "Send the access token, or refresh_token instead."))
        #expect(
            try await refusal { try await fixture.signOut(.accessToken("a.b.c"), all: true) }.code
                == .invalidAccessToken)
        #expect(
            try await refusal { try await fixture.signOut(.refreshToken("x")) }.code
                == .invalidRefreshToken)
    }
}
