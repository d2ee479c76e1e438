import Messages
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-09: a user signs out through the gateway", .timeLimit(.minutes(1)))
struct SignOutTests {
    let house: GatewayFixture
    let one: SignedIn
    let two: SignedIn

    init() async throws {
        house = try await GatewayFixture()
        one = try await house.signUp()
        two = try await house.signIn(device: "d2")
    }

    @Test("G-09: signing out ends this session at once and no other")
    func this() async throws {
        #expect(try await house.signOut(.accessToken(one.session.accessToken)) == 1)
        #expect(try await house.check(one.session.accessToken).reason == .revoked)
        let error = try await refusal { try await house.refresh(one.session.refreshToken) }
        #expect(error.code == .sessionEnded)
        #expect(try await house.check(two.session.accessToken).authenticated)
        _ = try await house.refresh(two.session.refreshToken)
    }

    @Test("G-09: an expired access token is accepted for signing out")
    func expired() async throws {
        house.time.advance(by: .seconds(86_400))
        #expect(try await house.check(one.session.accessToken).reason == .accessTokenExpired)
        #expect(try await house.signOut(.accessToken(one.session.accessToken)) == 1)
        #expect(try await house.check(one.session.accessToken).reason == .revoked)
    }

    @Test("G-09: a refresh token is accepted for signing out")
    func byRefreshToken() async throws {
        #expect(try await house.signOut(.refreshToken(one.session.refreshToken)) == 1)
        #expect(try await house.check(one.session.accessToken).reason == .revoked)
    }

    @Test("G-09: signing out everywhere ends every session of the account and of no other")
    func all() async throws {
        let bob = try await house.signUp("bob@example.org")
        #expect(try await house.signOut(.accessToken(one.session.accessToken), all: true) == 2)
        for session in [one.session, two.session] {
            #expect(try await house.check(session.accessToken).reason == .revoked)
        }
        #expect(try await house.check(bob.session.accessToken).authenticated)
        _ = try await house.signIn()
    }

    @Test("G-09: signing out again is no error and ends nothing more")
    func again() async throws {
        _ = try await house.signOut(.accessToken(one.session.accessToken))
        #expect(try await house.signOut(.accessToken(one.session.accessToken)) == 0)
        #expect(try await house.signOut(.accessToken(one.session.accessToken), all: true) == 0)
        #expect(try await house.check(two.session.accessToken).authenticated)
    }

    @Test("G-09: without a token of ours, no session is ended")
    func refused() async throws {
        #expect(
            try await refusal { try await house.signOut(nil) }
                == ServiceError(.invalidArgument, fields: ["token"]))
        #expect(
            try await refusal { try await house.signOut(.accessToken("a.b.c"), all: true) }.code
                == .invalidAccessToken)
        #expect(
            try await refusal { try await house.signOut(.refreshToken("x")) }.code
                == .invalidRefreshToken)
    }
}
