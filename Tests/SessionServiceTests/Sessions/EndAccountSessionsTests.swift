import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-06: all sessions of an account can be ended")
struct EndAccountSessionsTests {
    let fixture: SessionFixture
    let account: AccountID

    init() async throws {
        fixture = try await SessionFixture()
        account = try fixture.account()
    }

    @Test("S-06: all sessions end with that reason and their access tokens too; others remain")
    func ends() async throws {
        let tokens = [try await fixture.open(account), try await fixture.open(account)]
        let other = try await fixture.open(try fixture.account(43))
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await fixture.endAccount(account, before: fixture.time.now()) == 2)
        for tokens in tokens {
            #expect(!fixture.validate(tokens.accessToken).valid)
            #expect(try await fixture.inspect(tokens.accessToken).endReason == .security)
            await expectRefused(.sessionEnded) {
                try await fixture.refresh(tokens.refreshToken)
            }
        }
        #expect(fixture.validate(other.accessToken).valid)
        #expect(try await fixture.audited(.accountSessionsEnded) == 1)
        #expect(try await fixture.audited(.sessionEnded) == 2)
    }

    @Test("a proof from before the given time opens no session; one from that time on does")
    func proofs() async throws {
        let before = fixture.time.now()
        fixture.time.advance(by: .seconds(5))
        let moment = fixture.time.now()
        _ = try await fixture.endAccount(account, before: moment)
        for provedAt in [before, moment - .milliseconds(1)] {
            await expectRefused(.invalidSignInProof) {
                try await fixture.create(fixture.proof(account, provedAt: provedAt))
            }
        }
        try await fixture.restart()
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(fixture.proof(account, provedAt: before))
        }
        _ = try await fixture.create(fixture.proof(account, provedAt: moment))
        _ = try await fixture.create(
            fixture.proof(try fixture.account(43), provedAt: before))
    }

    @Test("a late or repeated delivery ends no session that was opened later")
    func lateDelivery() async throws {
        let old = try await fixture.open(account)
        fixture.time.advance(by: .seconds(10))
        let moment = fixture.time.now()
        fixture.time.advance(by: .seconds(10))
        let new = try await fixture.open(account)
        #expect(try await fixture.endAccount(account, before: moment) == 1)
        #expect(try await fixture.endAccount(account, before: moment) == 0)
        #expect(!fixture.validate(old.accessToken).valid)
        #expect(fixture.validate(new.accessToken).valid)
    }

    @Test("an earlier time does not replace a later one")
    func outOfOrder() async throws {
        fixture.time.advance(by: .seconds(60))
        let moment = fixture.time.now()
        _ = try await fixture.endAccount(account, before: moment)
        _ = try await fixture.endAccount(account, before: moment - .seconds(20))
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(
                fixture.proof(account, provedAt: moment - .seconds(10)))
        }
    }

    @Test("G-25: a repeated sign-in with an old proof is rejected too")
    func repeatedSignIn() async throws {
        let proof = fixture.proof(account)
        _ = try await fixture.create(proof, key: "k")
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.endAccount(account, before: fixture.time.now())
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof, key: "k") }
    }

    @Test("invalid arguments are rejected")
    func arguments() async throws {
        let now = fixture.time.now()
        for reason in [
            GatewayV1.EndReason.unspecified, .inactive, .maximumAge, .displaced, .replayed,
            .unrecognized(99),
        ] {
            await expectRefused(.invalidArgument) {
                try await fixture.endAccount(account, before: now, reason: reason)
            }
        }
        await expectRefused(.invalidArgument) {
            try await fixture.endAccount(account, before: Timestamp(milliseconds: 0))
        }
        await expectRefused(.invalidArgument) {
            try await fixture.service.sessions.endAccountSessions(
                SessionV1.EndAccountSessionsRequest(accountId: "ses_0000000000001"),
                fixture.context(from: "identity"))
        }
    }

    @Test("G-12: the excepted session remains, however late or often the call is made")
    func except() async throws {
        let excepted = try await fixture.open(account)
        let other = try await fixture.open(account)
        fixture.time.advance(by: .milliseconds(1))
        let request = SessionV1.EndAccountSessionsRequest(
            accountId: account.text, beforeMs: fixture.time.now().milliseconds, reason: .security,
            exceptSessionId: excepted.sessionId)
        for ended in [1, 0] as [UInt32] {
            let answer = try await fixture.service.sessions.endAccountSessions(
                request, fixture.context(from: "identity"))
            #expect(answer.ended == ended)
        }
        #expect(!fixture.validate(other.accessToken).valid)
        #expect(fixture.validate(excepted.accessToken).valid)
        let child = try await fixture.refresh(excepted.refreshToken)
        try await fixture.restart()
        #expect(fixture.validate(child.accessToken).valid)
    }

    @Test("G-12: another account's session excepts nothing, and an invalid id is rejected")
    func exceptAnother() async throws {
        let tokens = try await fixture.open(account)
        let others = try await fixture.open(try fixture.account(43))
        fixture.time.advance(by: .milliseconds(1))
        var request = SessionV1.EndAccountSessionsRequest(
            accountId: account.text, beforeMs: fixture.time.now().milliseconds, reason: .security,
            exceptSessionId: "ses_x")
        await expectRefused(.invalidArgument) {
            try await fixture.service.sessions.endAccountSessions(
                request, fixture.context(from: "identity"))
        }
        request.exceptSessionId = others.sessionId
        let answer = try await fixture.service.sessions.endAccountSessions(
            request, fixture.context(from: "identity"))
        #expect(answer.ended == 1)
        #expect(!fixture.validate(tokens.accessToken).valid)
        #expect(fixture.validate(others.accessToken).valid)
    }

    @Test("S-06: only identity and the operator's tool may end an account's sessions")
    func callers() async throws {
        let tokens = try await fixture.open(account)
        let request = SessionV1.EndAccountSessionsRequest(
            accountId: account.text, beforeMs: fixture.time.now().milliseconds + 1,
            reason: .security)
        for application in ["gateway", "notification", "session", "app", ""] {
            await expectRefused(.permissionDenied) {
                try await fixture.service.sessions.endAccountSessions(
                    request, fixture.context(from: application))
            }
        }
        #expect(fixture.validate(tokens.accessToken).valid)
        let ended = try await fixture.service.sessions.endAccountSessions(
            request, fixture.context(from: "tool"))
        #expect(ended.ended == 1)
    }

    @Test("S-06: a time far in the future is retried until the clocks agree")
    func clocksDisagree() async throws {
        _ = try await fixture.open(account)
        let now = fixture.time.now()
        for moment in [now + .seconds(3_601), Timestamp(milliseconds: .max)] {
            await expectRefused(.unavailable) {
                try await fixture.endAccount(account, before: moment)
            }
        }
        fixture.time.advance(by: .seconds(1))
        #expect(try await fixture.endAccount(account, before: now + .seconds(3_601)) == 1)
    }

    @Test("old records of ended accounts are removed a day later")
    func purge() async throws {
        for key in Int64(1)...20 {
            _ = try await fixture.endAccount(
                try fixture.account(key), before: fixture.time.now())
            fixture.time.advance(by: .seconds(86_401))
        }
        #expect(try await fixture.number("SELECT count(*) FROM account_end") == 20)
        try await fixture.purge()
        #expect(try await fixture.number("SELECT count(*) FROM account_end") == 0)
    }
}
