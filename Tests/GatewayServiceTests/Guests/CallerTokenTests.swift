import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService

@Suite("G-07: the gateway passes a guest's session to a sign-in", .timeLimit(.minutes(1)))
struct CallerTokenTests {
    private let identities = ScriptedIdentities()
    private let fixture: GatewayFixture
    private let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture(identities: identities)
        ada = try await fixture.signUp()
        identities.refuse(.providerUnavailable)
    }

    /// The session of a new guest of identity's.
    private func guest() async throws -> GatewayV1.Session {
        fixture.time.advance(by: .milliseconds(1))
        identities.admit(
            try await IdentitiesClient(fixture.inner.identityOwner().calls).signInAsGuest(
                .init(), fixture.context()))
        let answer = try await fixture.guests.signInAsGuest(.init(), fixture.context())
        identities.refuse(.providerUnavailable)
        return try #require(answer.session)
    }

    private func signIn(_ accessToken: String?, key: String? = nil) async throws -> ErrorCode {
        try await refusal {
            try await fixture.providers.signInWithProvider(
                .init(), fixture.context(key).bearing(accessToken))
        }.code
    }

    /// Signs in with a right password, in a session that identity refuses.
    private func refused(_ accessToken: String, key: String? = nil) async throws -> ErrorCode {
        try await refusal {
            try await fixture.auth.signInWithPassword(
                .init(email: "ada@example.org", password: "Correct7Horse"),
                fixture.context(key).bearing(accessToken))
        }.code
    }

    @Test("G-07: an access token is passed on; identity knows whether it is a guest's")
    func handedOn() async throws {
        let token = try await guest().accessToken
        for shown in [token, nil, ada.session.accessToken, "garbage"] {
            #expect(try await signIn(shown) == .providerUnavailable)
        }
        // The first entry is the guest's own sign-in.
        #expect(
            identities.callerTokens == ["", token, "", ada.session.accessToken, "garbage"])
    }

    @Test("G-07: what is no access token of ours is dropped by the app, not by us")
    func garbage() async throws {
        for shown in ["garbage", ada.session.refreshToken, ada.session.accessToken + "A"] {
            #expect(try await refused(shown) == .sessionEnded)
        }
    }

    @Test("G-07: an expired token is rejected, because the guest's data would be left behind")
    func expired() async throws {
        let first = try await guest()
        fixture.time.advance(by: .seconds(15 * 60))
        for key in [nil, "k"] {
            #expect(try await refused(first.accessToken, key: key) == .invalidAccessToken)
        }
    }

    @Test("G-07: the token of an ended session is rejected")
    func over() async throws {
        let guest = try await guest()
        _ = try await fixture.signOut(.accessToken(guest.accessToken))
        for key in [nil, "k"] {
            #expect(try await refused(guest.accessToken, key: key) == .sessionEnded)
        }
    }

    @Test("two access tokens, another scheme and no token are malformed")
    func malformed() async throws {
        let expected = ServiceError.invalidArgument(
            "authorization", "Send one: Bearer and the access token.")
        let token = ada.session.accessToken
        for values in [
            ["Bearer \(token)", "Bearer \(token)"], ["Basic \(token)"], [token], ["Bearer "], [""],
            ["Bearer"],
        ] {
            var entries = fixture.context().metadata.entries
            entries += values.map {
                .init(key: Metadata.Key.authorization, value: Array($0.utf8))
            }
            let context = CallContext(
                application: "app", deadline: fixture.time.uptime() + .seconds(10),
                metadata: Metadata(entries), mayAssertClientAddress: true)
            #expect(
                try await refusal { try await fixture.auth.checkAuthState(.init(), context) }
                    == expected)
            #expect(
                try await refusal {
                    try await fixture.accountSessions.listSessions(.init(), context)
                } == expected)
        }
        // The scheme's case does not matter (RFC 9110, 11.1).
        var context = fixture.context()
        context.metadata[Metadata.Key.authorization] = "bearer \(token)"
        #expect(try await fixture.auth.checkAuthState(.init(), context).authenticated)
    }
}
