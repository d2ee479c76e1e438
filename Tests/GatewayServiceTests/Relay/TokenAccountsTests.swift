import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("The accounts of access tokens, for charges")
struct TokenAccountsTests {
    private let fixture: GatewayFixture
    private let ada: SignedIn
    private let wire: InnerWire
    private let tokens: TokenAccounts

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        wire = InnerWire(fixture.inner)
        tokens = TokenAccounts(sessions: SessionsClient(wire), time: fixture.time)
    }

    /// Asks for the account, and says how many calls to session that took.
    private func calls(_ account: String?) async throws -> Int {
        let before = wire.calls.count
        #expect(
            try await tokens.account(of: ada.session.accessToken, fixture.context()) == account)
        return wire.calls.count - before
    }

    private func feed(_ ends: [String] = [], keySet: UInt8 = 1, isComplete: Bool = true) {
        tokens.take(
            RevocationUpdate(
                ends: ends.compactMap(SessionID.init).map {
                    Revocation(
                        position: 1, session: $0, at: fixture.time.now(), reason: .signedOut)
                },
                position: 1, completeAt: isComplete ? fixture.time.now() : nil, isReset: false,
                keySet: [keySet], retention: .seconds(691), epoch: 1,
                sentAt: fixture.time.now()))
    }

    @Test("session is asked once for a token, while the feed of revocations is complete")
    func once() async throws {
        let id = ada.account.accountId
        #expect(try await calls(id) == 1)
        #expect(try await calls(id) == 1, "without the feed it is asked each time")
        feed()
        #expect(try await calls(id) == 1, "the keys have changed")
        #expect(try await calls(id) == 0)
        fixture.time.advance(by: .milliseconds(1_500))
        #expect(try await calls(id) == 1, "the feed is silent")
        feed()
        #expect(try await calls(id) == 0)
        feed(keySet: 2)
        #expect(try await calls(id) == 1)
        #expect(try await calls(id) == 0)
    }

    @Test("session is asked again after a minute, and after a sign-out until two items came")
    func again() async throws {
        let id = ada.account.accountId
        feed()
        #expect(try await calls(id) == 1)
        for second in 1...60 {
            fixture.time.advance(by: .seconds(1))
            feed()
            #expect(try await calls(id) == (second == 60 ? 1 : 0), "second \(second)")
        }
        tokens.doubt()
        #expect(try await calls(id) == 1)
        #expect(try await calls(id) == 1)
        feed()
        #expect(try await calls(id) == 1, "the item may have been read before the sign-out")
        feed(isComplete: false)
        #expect(try await calls(id) == 1)
        feed()
        #expect(try await calls(id) == 0)
    }

    @Test("session's time comes with the feed, while it is not silent")
    func sessionTime() {
        #expect(tokens.sessionTime() == nil)
        feed()
        let start = fixture.time.now()
        #expect(tokens.sessionTime() == start)
        fixture.time.advance(by: .milliseconds(1_499))
        #expect(tokens.sessionTime() == start + .milliseconds(1_499))
        fixture.time.advance(by: .milliseconds(1))
        #expect(tokens.sessionTime() == nil)
    }

    @Test("G-01: a known token costs one call, for the account, and a sign-out is seen at once")
    func authState() async throws {
        let handler = AuthHandler(
            accounts: AccountsClient(wire), credentials: CredentialsClient(wire),
            sessions: SessionsClient(wire), limits: fixture.limiter, tokens: tokens,
            sessionClock: fixture.inner.sessionClock)
        func check() async throws -> GatewayV1.CheckAuthStateResponse {
            try await handler.checkAuthState(
                .init(), fixture.context().bearing(ada.session.accessToken))
        }
        feed()
        #expect(try await check().authenticated)
        let before = wire.calls.count
        #expect(try await check().answeredAtMs == fixture.time.now().milliseconds)
        #expect(wire.calls.dropFirst(before) == [AccountsDescription.getAccount])
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        tokens.doubt()
        #expect(try await check().reason == .revoked)
    }

    @Test("a token that has expired, or whose session has ended, is no longer known")
    func ended() async throws {
        let id = ada.account.accountId
        feed()
        #expect(try await calls(id) == 1)
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        // Until the feed says so: only the charge is made, and the owner refuses the call.
        #expect(try await calls(id) == 0)
        feed([ada.session.sessionId])
        #expect(try await calls(nil) == 1)

        let eve = try await fixture.signUp("eve@example.org")
        let account = eve.account.accountId
        func ask() async throws -> String? {
            try await tokens.account(of: eve.session.accessToken, fixture.context())
        }
        #expect(try await ask() == account)
        fixture.time.advance(by: .seconds(15 * 60))
        feed()
        #expect(try await ask() == nil)
    }

    @Test("a token that differs in one byte is another token")
    func other() async throws {
        feed()
        #expect(try await calls(ada.account.accountId) == 1)
        let last = ada.session.accessToken.last == "A" ? "B" : "A"
        let forged = String(ada.session.accessToken.dropLast()) + last
        #expect(try await tokens.account(of: forged, fixture.context()) == nil)
    }
}
