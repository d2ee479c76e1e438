import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("I-01: the session service reports when an account was used")
struct AccountActivityHandlerTests {
    let fixture: SessionFixture
    let account: AccountID

    init() async throws {
        fixture = try await SessionFixture()
        account = try fixture.account()
    }

    private func activity(
        from application: String = "identity"
    ) async throws -> GatewayV1.AccountActivity {
        let answer = try await fixture.service.accountActivity.getAccountActivity(
            .init(accountId: account.text), fixture.context(from: application))
        return try #require(answer.activity)
    }

    @Test("only the service that stores accounts may call", arguments: ["gateway", "app", ""])
    func strangers(application: String) async throws {
        await expectRefused(.permissionDenied) { try await activity(from: application) }
        _ = try await activity(from: "tool")
    }

    @Test("an account that was never used has no activity")
    func others() async throws {
        #expect(try await activity() == .init())
        await expectRefused(.invalidArgument) {
            try await fixture.service.accountActivity.getAccountActivity(
                .init(accountId: "7"), fixture.context(from: "identity"))
        }
    }

    @Test("S-05: the latest use of a live session includes marks that are not on disk yet")
    func live() async throws {
        let first = try await fixture.open(account)
        fixture.time.advance(by: .seconds(60))
        _ = try await fixture.open(account)
        fixture.time.advance(by: .seconds(60))
        #expect(fixture.validate(first.accessToken).valid)
        let now = fixture.time.now().milliseconds
        #expect(
            try await activity()
                == .init(
                    liveSessions: 2, lastActivity: .lastActivityAtMs(now),
                    lastSeen: .lastSeenAtMs(now)))
    }

    @Test("G-09: a sign-out counts as use and is remembered after the session is erased")
    func signedOut() async throws {
        let tokens = try await fixture.open(account)
        fixture.time.advance(by: .seconds(60))
        let seen = fixture.time.now().milliseconds
        _ = try await fixture.signOut(.accessToken(tokens.accessToken))
        fixture.time.advance(by: .seconds(60))
        #expect(try await activity() == .init(lastSeen: .lastSeenAtMs(seen)))
        _ = try await fixture.store.writeUnchecked { try $0.execute("DELETE FROM session", []) }
        #expect(try await activity() == .init(lastSeen: .lastSeenAtMs(seen)))
    }

    @Test("a session ended by another party reports when it was used, not when it ended")
    func ended() async throws {
        let used = fixture.time.now().milliseconds
        _ = try await fixture.open(account)
        fixture.time.advance(by: .seconds(60))
        _ = try await fixture.endAccount(account, before: fixture.time.now())
        #expect(try await activity() == .init(lastSeen: .lastSeenAtMs(used)))
    }

    @Test("S-02: a session that has timed out counts as seen but not as live")
    func inactive() async throws {
        let used = fixture.time.now().milliseconds
        _ = try await fixture.open(account)
        fixture.time.advance(by: .seconds(40 * 86_400))
        #expect(try await activity() == .init(lastSeen: .lastSeenAtMs(used)))
    }

    @Test("a recorded time never moves back")
    func forward() async throws {
        for moment in [5, 9, 7] {
            let at = Timestamp(milliseconds: Int64(moment))
            try await fixture.store.writeUnchecked { [account] in try $0.recordSeen(account, at: at)
            }
        }
        #expect(try await activity().lastSeen == .lastSeenAtMs(9))
    }
}
