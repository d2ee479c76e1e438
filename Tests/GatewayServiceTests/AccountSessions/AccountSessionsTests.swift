import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService
@testable import NotificationService

@Suite("G-22, S-03: an account manages its sessions through the gateway")
struct AccountSessionsTests {
    private func list(_ fixture: GatewayFixture, _ token: String) async throws
        -> [GatewayV1.SessionEntry]
    {
        try await fixture.accountSessions.listSessions(
            .init(), fixture.context().bearing(token)
        ).sessions
    }

    @Test("G-22: the owner lists the account's sessions and ends one of them")
    func devices() async throws {
        let fixture = try await GatewayFixture()
        let one = try await fixture.signUp(device: "d1")
        fixture.time.advance(by: .seconds(5))
        let two = try await fixture.signIn(device: "d2")
        let entries = try await list(fixture, two.session.accessToken)
        #expect(entries.map(\.sessionId) == [two.session.sessionId, one.session.sessionId])
        #expect(entries.map(\.deviceName) == ["Ada's laptop", "Ada's laptop"])
        #expect(entries.map(\.platform) == ["cli", "cli"])
        #expect(entries.map(\.current) == [true, false])
        #expect(entries.map(\.amr) == [["pwd"], ["pwd"]])
        let ended = try await fixture.accountSessions.endSession(
            .init(sessionId: one.session.sessionId),
            fixture.context().bearing(two.session.accessToken))
        #expect(ended.endedSessions == 1)
        let state = try await fixture.check(one.session.accessToken)
        #expect(state.reason == .revoked && state.endReason == .signedOut)
        #expect(try await list(fixture, two.session.accessToken).count == 1)
    }

    @Test("A-01, G-22: the owner sees what happened, of both services and by whole pages")
    func activity() async throws {
        let fixture = try await GatewayFixture()
        let one = try await fixture.signUp(device: "d1")
        let eve = try await fixture.signUp("eve@example.org", device: "d9")
        fixture.time.advance(by: .seconds(5))
        let two = try await fixture.signIn(device: "d2")
        fixture.time.advance(by: .seconds(5))
        func context(_ person: SignedIn) -> CallContext {
            fixture.context().bearing(person.session.accessToken)
        }
        _ = try await fixture.accountSessions.endSession(
            .init(sessionId: one.session.sessionId), context(two))
        var request = GatewayV1.ListActivityRequest(pageSize: 2)
        var seen: [GatewayV1.ActivityEntry] = []
        repeat {
            let page = try await fixture.accountSessions.listActivity(request, context(two))
            seen += page.entries
            request.pageToken = page.nextPageToken
        } while !request.pageToken.isEmpty
        let isNewDevice = seen.map { $0.kind == "sign-in.new-device" }
        #expect(isNewDevice == [false, false, false, true, false, false])
        seen.remove(at: 3)
        #expect(
            seen.map(\.kind) == [
                "session.ended", "session.started", "sign-in.succeeded", "session.started",
                "account.registered",
            ])
        #expect(seen.map(\.isCurrentSession) == [false, true, false, false, false])
        #expect(seen[0].sessionId == one.session.sessionId && seen[0].detail == "signed-out")
        #expect(seen[2].detail == "password")
        #expect(seen.allSatisfy { !$0.sentence.isEmpty })
        let others = try await fixture.accountSessions.listActivity(.init(), context(eve))
        #expect(others.entries.map(\.kind) == ["session.started", "account.registered"])
    }

    @Test("G-30: noted activity keeps a session alive beyond its idle time")
    func noted() async throws {
        let fixture = try await GatewayFixture()
        let first = try await fixture.signUp().session
        fixture.time.advance(by: .seconds(29 * 86_400))
        let second = try await fixture.refresh(first.refreshToken)
        func note(_ kind: String) async throws -> Int64 {
            try await fixture.accountSessions.noteActivity(
                .init(kind: kind), fixture.context().bearing(second.accessToken)
            ).idleExpiresAtMs
        }
        let before = try await note("screen-opened")
        fixture.time.advance(by: .seconds(300))
        #expect(try await note("screen-opened") == before + 300_000)
        fixture.time.advance(by: .seconds(30 * 86_400 - 300))
        #expect(
            try await !fixture.refresh(second.refreshToken).accessToken.isEmpty,
            "its idle time from the refresh has passed; from the noted activity it has not")
        let error = try await refusal { try await note("Screen opened") }
        #expect(error.code == .invalidArgument && error.fields == ["kind"])
    }

    @Test("G-22: a user cannot end another account's session, nor learn that it exists")
    func strangers() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let eve = try await fixture.signUp("eve@example.org", device: "d9")
        for id in [ada.session.sessionId, "ses_0000000000001", "x"] {
            let error = try await refusal {
                try await fixture.accountSessions.endSession(
                    .init(sessionId: id), fixture.context().bearing(eve.session.accessToken))
            }
            #expect(error.code == .sessionNotFound)
        }
        #expect(try await fixture.check(ada.session.accessToken).authenticated)
    }

    @Test("S-06: EndOtherSessions ends all sessions except the caller's")
    func others() async throws {
        let fixture = try await GatewayFixture()
        let one = try await fixture.signUp()
        let two = try await fixture.signIn()
        let three = try await fixture.signIn()
        let answer = try await fixture.accountSessions.endOtherSessions(
            .init(), fixture.context().bearing(two.session.accessToken))
        #expect(answer.endedSessions == 2)
        #expect(try await fixture.check(two.session.accessToken).authenticated)
        for gone in [one, three] {
            #expect(try await !fixture.check(gone.session.accessToken).authenticated)
        }
    }

    @Test("G-25: a repeat gets the first answer, also where the call ended its own session")
    func repeated() async throws {
        let fixture = try await GatewayFixture()
        let (other, here) = (try await fixture.signUp(), try await fixture.signIn())
        let context = fixture.context("k").bearing(here.session.accessToken)
        func end() async throws -> UInt32 {
            try await fixture.accountSessions.endSession(
                .init(sessionId: here.session.sessionId), context
            ).endedSessions
        }
        for _ in 0..<2 {
            #expect(
                try await fixture.accountSessions.endOtherSessions(.init(), context).endedSessions
                    == 1)
        }
        #expect(try await !fixture.check(other.session.accessToken).authenticated)
        for _ in 0..<2 { #expect(try await end() == 1) }
        #expect(try await !fixture.check(here.session.accessToken).authenticated)
        #expect(
            try await fixture.accountSessions.endOtherSessions(.init(), context).endedSessions == 1)
        let error = try await refusal {
            try await fixture.accountSessions.endSession(
                .init(sessionId: here.session.sessionId),
                fixture.context("l").bearing(here.session.accessToken))
        }
        #expect(error.code == .sessionEnded)
    }

    @Test("S-03: the sixth sign-in displaces the oldest session, and its owner gets a mail")
    func displaced() async throws {
        let fixture = try await GatewayFixture()
        let first = try await fixture.signUp()
        _ = try await fixture.verify(
            try await fixture.inner.linkToken(), accessToken: first.session.accessToken)
        for number in 2...6 {
            fixture.time.advance(by: .seconds(10))
            _ = try await fixture.signIn(device: "d\(number)")
        }
        let state = try await fixture.check(first.session.accessToken)
        #expect(!state.authenticated && state.reason == .revoked)
        #expect(state.endReason == .displaced)
        let mails = try await fixture.inner.mails().filter { $0.subject.contains("signed out of") }
        #expect(mails.count == 1)
        #expect(mails.first?.text.contains("“Ada's laptop”") == true)
    }

    @Test("G-10: the mail about a replayed token is sent once identity is reachable again")
    func replayed() async throws {
        let fixture = try await GatewayFixture()
        let first = try await fixture.signUp()
        fixture.inner.notices.disconnect()
        var leaf = first.session
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(60))
            leaf = try await fixture.refresh(leaf.refreshToken)
        }
        let error = try await refusal { try await fixture.refresh(first.session.refreshToken) }
        #expect(error.code == .refreshTokenReplayed)
        let state = try await fixture.check(leaf.accessToken)
        #expect(state.reason == .security && state.endReason == .replayed)
        #expect(try await fixture.inner.sessionStore.read { try $0.outboxCount() } == 1)
        fixture.inner.notices.connect(to: fixture.inner.identity.core.accountNotices)
        let mails = try await fixture.inner.mails().filter { $0.subject.contains("for safety") }
        #expect(mails.count == 1)
    }
}
