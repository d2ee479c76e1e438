import Outbound
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("Classification of mail servers' replies")
struct MailVerdictTests {
    /// Step, reply code, enhanced status code, verdict.
    struct Row: Sendable {
        let step: SMTPAnswer.Step
        let code: Int
        let status: SMTPStatus?
        let verdict: MailVerdict

        init(_ step: SMTPAnswer.Step, _ code: Int, _ status: SMTPStatus?, _ verdict: MailVerdict) {
            self.step = step
            self.code = code
            self.status = status
            self.verdict = verdict
        }
    }

    @Test(
        "RFC 3463: step, reply code and status decide whether to retry, refuse or suppress",
        arguments: [
            Row(.recipient, 550, SMTPStatus(5, 1, 1), .addressDead("smtp-550-5.1.1")),
            Row(.message, 550, SMTPStatus(5, 1, 1), .addressDead("smtp-550-5.1.1")),
            Row(.recipient, 550, SMTPStatus(5, 1, 2), .addressDead("smtp-550-5.1.2")),
            Row(.recipient, 501, SMTPStatus(5, 1, 3), .addressDead("smtp-501-5.1.3")),
            Row(.recipient, 551, SMTPStatus(5, 1, 6), .addressDead("smtp-551-5.1.6")),
            Row(.recipient, 556, SMTPStatus(5, 1, 10), .addressDead("smtp-556-5.1.10")),
            Row(.recipient, 550, SMTPStatus(5, 2, 1), .addressDead("smtp-550-5.2.1")),
            // About the sender's address, and "other".
            Row(.recipient, 550, SMTPStatus(5, 1, 7), .refused("smtp-550-5.1.7")),
            Row(.recipient, 550, SMTPStatus(5, 1, 8), .refused("smtp-550-5.1.8")),
            Row(.recipient, 550, SMTPStatus(5, 1, 0), .refused("smtp-550-5.1.0")),
            Row(.recipient, 552, SMTPStatus(5, 2, 2), .refused("smtp-552-5.2.2")),
            Row(.recipient, 550, nil, .refused("smtp-550")),
            Row(.recipient, 550, SMTPStatus(5, 7, 1), .refused("smtp-550-5.7.1")),
            Row(.message, 554, SMTPStatus(5, 6, 0), .refused("smtp-554-5.6.0")),
            Row(.data, 554, nil, .refused("smtp-554")),
            // A 5xx code with a status of another class: the code decides, and the address is not
            // suppressed.
            Row(.recipient, 550, SMTPStatus(4, 1, 1), .refused("smtp-550-4.1.1")),
            // A reply to MAIL is about this service, not about the recipient.
            Row(.sender, 550, SMTPStatus(5, 7, 1), .serverFailed("smtp-550-5.7.1")),
            Row(.sender, 553, SMTPStatus(5, 1, 8), .serverFailed("smtp-553-5.1.8")),
            Row(.sender, 550, SMTPStatus(5, 1, 1), .serverFailed("smtp-550-5.1.1")),
            Row(.sender, 552, SMTPStatus(5, 3, 4), .refused("smtp-552-5.3.4")),
            Row(.sender, 530, SMTPStatus(5, 7, 0), .serverFailed("smtp-530-5.7.0")),
            Row(.recipient, 530, nil, .serverFailed("smtp-530")),
            Row(.recipient, 535, SMTPStatus(5, 7, 8), .serverFailed("smtp-535-5.7.8")),
            // Temporary: first failures of this mail, then failures of the server.
            Row(.recipient, 450, nil, .later("smtp-450")),
            Row(.recipient, 450, SMTPStatus(4, 2, 0), .later("smtp-450-4.2.0")),
            Row(.recipient, 451, SMTPStatus(4, 7, 1), .later("smtp-451-4.7.1")),
            Row(.recipient, 452, SMTPStatus(4, 2, 2), .later("smtp-452-4.2.2")),
            Row(.sender, 451, SMTPStatus(4, 7, 28), .later("smtp-451-4.7.28")),
            Row(.recipient, 451, nil, .later("smtp-451")),
            Row(.recipient, 421, nil, .serverFailed("smtp-421")),
            Row(.recipient, 421, SMTPStatus(4, 7, 0), .serverFailed("smtp-421-4.7.0")),
            Row(.sender, 452, SMTPStatus(4, 3, 1), .serverFailed("smtp-452-4.3.1")),
            Row(.recipient, 452, SMTPStatus(4, 3, 1), .later("smtp-452-4.3.1")),
            Row(.message, 451, nil, .serverFailed("smtp-451")),
            Row(.message, 451, SMTPStatus(4, 4, 1), .serverFailed("smtp-451-4.4.1")),
            Row(.sender, 454, SMTPStatus(4, 3, 0), .serverFailed("smtp-454-4.3.0")),
        ])
    func answers(_ row: Row) {
        let answer = SMTPAnswer(step: row.step, code: row.code, status: row.status)
        #expect(MailVerdict(.refused(answer)) == row.verdict)
    }

    @Test("failures without a reply to the mail")
    func others() {
        #expect(MailVerdict(.accepted) == .taken)
        #expect(MailVerdict(.unsupported) == .unsupported)
        #expect(MailVerdict(.failed(.unreachable)) == .serverFailed("unreachable"))
        #expect(MailVerdict(.failed(.unresolved)) == .serverFailed("unresolved"))
        #expect(MailVerdict(.failed(.loginRefused)) == .serverFailed("login-refused"))
        #expect(MailVerdict(.failed(.cancelled)) == .abandoned("given-up"))
        #expect(MailVerdict(.unanswered(.timedOut)) == .uncertain("unanswered-timed-out"))
    }

    @Test("only failures of the server itself count for its circuit breaker")
    func breaker() {
        let verdicts: [(MailVerdict, CircuitBreaker.Outcome)] = [
            (.taken, .answered), (.addressDead("x"), .answered), (.refused("x"), .answered),
            (.later("x"), .answered), (.unsupported, .answered), (.uncertain("x"), .failed),
            (.serverFailed("x"), .failed), (.abandoned("x"), .abandoned),
        ]
        for (verdict, outcome) in verdicts {
            #expect(verdict.breakerOutcome == outcome)
            #expect((verdict.serverFailure == "x") == (outcome == .failed))
        }
    }

    @Test("an attempt that no server accepted ends with the most severe of the outcomes")
    func failover() {
        let (early, late) = (Timestamp(milliseconds: 1), Timestamp(milliseconds: 2))
        var failover = SMTPFailover()
        #expect(failover.outcome == .failed("no-server"))
        failover.skip("rate", until: late)
        failover.skip("breaker-open", until: early)
        #expect(failover.outcome == .unavailable("breaker-open", until: early))
        #expect(failover.record(.unsupported) == nil)
        #expect(failover.outcome == .refused("smtp-no-smtputf8", addressIsDead: false))
        #expect(failover.record(.serverFailed("unreachable")) == nil)
        #expect(failover.outcome == .failed("unreachable"))
        #expect(
            failover.record(.later("smtp-450")) == .failed("smtp-450", retryAfter: .seconds(60)))
        #expect(failover.record(.addressDead("x")) == .refused("x", addressIsDead: true))
        #expect(failover.record(.uncertain("x")) == .uncertain("x"))
        #expect(failover.record(.taken) == .taken)
    }
}
