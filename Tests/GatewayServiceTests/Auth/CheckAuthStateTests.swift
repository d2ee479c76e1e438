import Contracts
import Hosting
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-01: CheckAuthState says whether a token is signed in", .timeLimit(.minutes(1)))
struct CheckAuthStateTests {
    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    /// The reason that CheckAuthState returns for a token.
    private func reason(_ token: String? = nil) async throws -> GatewayV1.AuthStateReason {
        let state = try await fixture.check(token ?? ada.session.accessToken)
        #expect(state.authenticated == (state.reason == .unspecified))
        #expect(state.authenticated == (state.account != nil))
        if !state.authenticated { #expect(state.requiredActions.isEmpty) }
        return state.reason
    }

    @Test("G-01: a signed-in user gets the account and the steps still to do")
    func signedIn() async throws {
        let state = try await fixture.check(ada.session.accessToken)
        #expect(state.authenticated)
        #expect(state.reason == .unspecified)
        #expect(state.account?.accountId == ada.account.accountId)
        #expect(state.requiredActions == [.verifyEmail])
        _ = try await fixture.verify(
            try await fixture.inner.linkToken(), accessToken: ada.session.accessToken)
        #expect(try await fixture.check(ada.session.accessToken).requiredActions.isEmpty)
    }

    @Test("G-01: without a token of ours the reason is `noSession`")
    func noSession() async throws {
        let token = ada.session.accessToken
        for other in [
            "garbage", "a.b.c", ada.session.refreshToken, String(token.dropLast()), token + "A",
            String(repeating: "a", count: 100_000),
        ] {
            #expect(try await reason(other) == .noSession)
        }
        #expect(try await fixture.check(nil).reason == .noSession)
    }

    @Test("G-01: for an expired access token the reason is `accessTokenExpired`")
    func expired() async throws {
        fixture.time.advance(by: .seconds(15 * 60))
        #expect(try await reason() == .accessTokenExpired)
        let child = try await fixture.refresh(ada.session.refreshToken)
        #expect(try await reason(child.accessToken) == .unspecified)
    }

    @Test("G-01: after 30 days without use the reason is `inactive` (S-02)")
    func inactive() async throws {
        fixture.time.advance(by: .seconds(30 * 86_400))
        #expect(try await reason() == .inactive)
        _ = try await refusal { try await fixture.refresh(ada.session.refreshToken) }
        #expect(try await reason() == .inactive)
    }

    @Test("G-01: after 90 days, used or not, the reason is `maximumAge` (S-02)")
    func maximumAge() async throws {
        var session = ada.session
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(29 * 86_400))
            session = try await fixture.refresh(session.refreshToken)
        }
        fixture.time.advance(by: .seconds(3 * 86_400))
        #expect(try await reason(session.accessToken) == .maximumAge)
    }

    @Test("G-01: after a sign-out the reason is `revoked`")
    func revoked() async throws {
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        #expect(try await reason() == .revoked)
    }

    @Test("G-01: after a replayed refresh token the reason is `security` (G-10)")
    func security() async throws {
        _ = try await fixture.refresh(ada.session.refreshToken)
        fixture.time.advance(by: .seconds(30))
        _ = try await refusal { try await fixture.refresh(ada.session.refreshToken) }
        #expect(try await reason() == .security)
    }

    @Test("D0, G-29: the end of a session is said in the person's language")
    func words() async throws {
        func message(_ language: String? = nil) async throws -> String {
            try await fixture.auth.checkAuthState(
                .init(), fixture.context(language: language).bearing(ada.session.accessToken)
            ).userMessage
        }
        #expect(try await message() == "")
        #expect(try await fixture.check(nil).userMessage == "")
        fixture.time.advance(by: .seconds(15 * 60))
        #expect(try await message() == "", "a refresh goes on")
        fixture.time.advance(by: .seconds(30 * 86_400))
        for language in Language.allCases {
            #expect(
                try await message(language.rawValue)
                    == EndReason.inactive.sentence(in: Voice(language)))
        }
        #expect(try await message().contains("due to inactivity"))
    }

    @Test("D0: the three ends that it names have its words")
    func namedEnds() {
        for (reason, words) in [
            (EndReason.inactive, "due to inactivity"), (.maximumAge, "for security"),
            (.security, "for security reasons"),
        ] {
            #expect(reason.sentence(in: .english).contains(words))
        }
    }

    @Test(
        "G-29: each reason has the sentence of its end",
        arguments: [
            (GatewayV1.AuthStateReason.revoked, EndReason.signedOut, EndReason.signedOut),
            (.revoked, .displaced, .displaced), (.security, .replayed, .replayed),
            (.security, .security, .security), (.maximumAge, .maximumAge, .maximumAge),
            (.providerRevoked, .providerRevoked, .providerRevoked),
            (.accountDeleted, .accountDeleted, .accountDeleted),
            (.accountDeleted, nil, .accountDeleted), (.revoked, nil, .revoked),
            (.accessTokenExpired, nil, nil), (.noSession, nil, nil), (.unspecified, nil, nil),
        ] as [(GatewayV1.AuthStateReason, EndReason?, EndReason?)])
    func sentences(
        _ reason: GatewayV1.AuthStateReason, _ end: EndReason?, _ sentence: EndReason?
    ) {
        let state = GatewayV1.CheckAuthStateResponse(
            reason: reason, endReason: end?.message ?? .unspecified)
        #expect(
            state.sentence(in: Voice(.german)) == sentence?.sentence(in: Voice(.german)) ?? "")
    }

    @Test(
        "G-01, G-29: the owner of an account that is disabled, or being deleted, is not signed in",
        arguments: [(2 as Int64, GatewayV1.AuthStateReason.revoked), (4, .accountDeleted)])
    func disabled(status: Int64, expected: GatewayV1.AuthStateReason) async throws {
        try await fixture.inner.setStatus(status)
        #expect(try await reason() == expected)
    }

    @Test("S-04: every response contains the server's time, for devices with a wrong clock")
    func serverTime() async throws {
        #expect(ada.session.answeredAtMs == fixture.time.now().milliseconds)
        fixture.time.advance(by: .seconds(60))
        for token in [nil, ada.session.accessToken] {
            #expect(try await fixture.check(token).answeredAtMs == fixture.time.now().milliseconds)
        }
    }

    @Test("B15: the server time is the session service's, which checks the devices' proofs")
    func sessionsTime() async throws {
        // After a step of one machine's clock, another program's time is hours off.
        let sessions = ManualTime(now: fixture.time.now() + .seconds(5 * 3_600))
        let handler = AuthHandler(
            accounts: fixture.inner.identity.core.accounts,
            credentials: fixture.inner.identity.core.credentials,
            sessions: fixture.inner.session, limits: fixture.limiter,
            tokens: TokenAccounts(sessions: fixture.inner.session, time: fixture.time),
            sessionClock: StoreClock(fixture.inner.sessionStore, time: sessions))
        let state = try await handler.checkAuthState(
            .init(), fixture.context().bearing(ada.session.accessToken))
        #expect(state.authenticated && state.answeredAtMs == sessions.now().milliseconds)
    }

    @Test("G-01: a session whose account does not exist is not signed in")
    func nobody() async throws {
        #expect(try await reason(try await fixture.inner.unknownSession()) == .noSession)
    }
}
