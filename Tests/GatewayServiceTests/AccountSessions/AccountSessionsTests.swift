import GatewayService
import Messages
import NotificationService
import ServiceRuntime
import Storage
import TestSupport
import Testing

@Suite("G-22, S-03: an account manages its sessions through the gateway")
struct AccountSessionsTests {
    private func list(_ house: GatewayFixture, _ token: String) async throws
        -> [GatewayV1.SessionEntry]
    {
        try await house.accountSessions.listSessions(
            .init(accessToken: token), house.context()
        ).sessions
    }

    @Test("G-22: the owner lists the account's sessions and ends one of them")
    func devices() async throws {
        let house = try await GatewayFixture()
        let one = try await house.signUp(device: "d1")
        house.time.advance(by: .seconds(5))
        let two = try await house.signIn(device: "d2")
        let entries = try await list(house, two.session.accessToken)
        #expect(entries.map(\.sessionId) == [two.session.sessionId, one.session.sessionId])
        #expect(entries.map(\.deviceName) == ["Ada's laptop", "Ada's laptop"])
        #expect(entries.map(\.platform) == ["cli", "cli"])
        #expect(entries.map(\.current) == [true, false])
        #expect(entries.map(\.amr) == [["pwd"], ["pwd"]])
        let ended = try await house.accountSessions.endSession(
            .init(accessToken: two.session.accessToken, sessionId: one.session.sessionId),
            house.context())
        #expect(ended.ended)
        let state = try await house.check(one.session.accessToken)
        #expect(state.reason == .revoked && state.endReason == .signedOut)
        #expect(try await list(house, two.session.accessToken).count == 1)
    }

    @Test("G-22: a user cannot end another account's session, nor learn that it exists")
    func strangers() async throws {
        let house = try await GatewayFixture()
        let ada = try await house.signUp()
        let eve = try await house.signUp("eve@example.org", device: "d9")
        for id in [ada.session.sessionId, "ses_0000000000001", "x"] {
            let error = try await refusal {
                try await house.accountSessions.endSession(
                    .init(accessToken: eve.session.accessToken, sessionId: id), house.context())
            }
            #expect(error.code == .sessionNotFound)
        }
        #expect(try await house.check(ada.session.accessToken).authenticated)
    }

    @Test("S-06: EndOtherSessions ends all sessions except the caller's")
    func others() async throws {
        let house = try await GatewayFixture()
        let one = try await house.signUp()
        let two = try await house.signIn()
        let three = try await house.signIn()
        let answer = try await house.accountSessions.endOtherSessions(
            .init(accessToken: two.session.accessToken), house.context())
        #expect(answer.ended == 2)
        #expect(try await house.check(two.session.accessToken).authenticated)
        for gone in [one, three] {
            #expect(try await !house.check(gone.session.accessToken).authenticated)
        }
    }

    @Test("S-03: the sixth sign-in displaces the oldest session, and its owner gets a mail")
    func displaced() async throws {
        let house = try await GatewayFixture()
        let first = try await house.signUp()
        _ = try await house.verify(
            try await house.inner.linkToken(), accessToken: first.session.accessToken)
        for number in 2...6 {
            house.time.advance(by: .seconds(10))
            _ = try await house.signIn(device: "d\(number)")
        }
        let state = try await house.check(first.session.accessToken)
        #expect(!state.authenticated && state.reason == .revoked)
        #expect(state.endReason == .displaced)
        let mails = try await house.inner.mails().filter { $0.subject.contains("signed out of") }
        #expect(mails.count == 1)
        #expect(mails.first?.text.contains("“Ada's laptop”") == true)
    }

    @Test("G-10: the mail about a replayed token is sent once identity is reachable again")
    func replayed() async throws {
        let house = try await GatewayFixture()
        let first = try await house.signUp()
        house.inner.notices.disconnect()
        var leaf = first.session
        for _ in 0..<3 {
            house.time.advance(by: .seconds(60))
            leaf = try await house.refresh(leaf.refreshToken)
        }
        let error = try await refusal { try await house.refresh(first.session.refreshToken) }
        #expect(error.code == .refreshTokenReplayed)
        let state = try await house.check(leaf.accessToken)
        #expect(state.reason == .security && state.endReason == .replayed)
        #expect(try await house.inner.sessionStore.read { try $0.outboxCount() } == 1)
        house.inner.notices.connect(to: house.inner.accountNotices)
        let mails = try await house.inner.mails().filter { $0.subject.contains("for safety") }
        #expect(mails.count == 1)
    }
}
