import Contracts
import HTTPSink
import Messages
import Outbound
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Attempts whose provider did not say whether it accepted the message")
struct UncertainDeliveryTests {
    private static let start = Timestamp(milliseconds: 1_000_000)

    private func after(
        unanswered: Int, expiresAt: Timestamp? = nil, _ outcome: DeliveryOutcome = .uncertain("x")
    ) -> Delivery? {
        Delivery(
            state: .sending(until: Self.start + .seconds(180)), attempts: 7,
            acceptedAt: Self.start, expiresAt: expiresAt, unanswered: unanswered
        ).after(.concluded(outcome, random: 0), at: Self.start)
    }

    @Test(
        "RFC 5321, 4.5.3.2.6: an unanswered attempt waits ten minutes; the third ends the message")
    func rule() {
        let waiting = DeliveryState.waiting(until: Self.start + .seconds(600))
        #expect(after(unanswered: 0)?.state == waiting)
        #expect(after(unanswered: 1)?.state == waiting)
        #expect(after(unanswered: 1)?.unanswered == 2)
        #expect(after(unanswered: 2)?.state == .dead(.unanswered))
        #expect(after(unanswered: 2, .failed("x"))?.unanswered == 2)
        #expect(after(unanswered: 2, .unavailable("x", until: Self.start))?.unanswered == 2)
        #expect(after(unanswered: 2, .taken)?.state == .sent)
    }

    @Test("a message that expires within ten minutes is not sent a second time")
    func shortLife() {
        let end = Self.start + .seconds(600)
        #expect(after(unanswered: 0, expiresAt: end)?.state == .dead(.expired))
        let later = after(unanswered: 0, expiresAt: end + .milliseconds(1))
        #expect(later?.state == .waiting(until: end))
    }

    @Test("N-05: three unanswered attempts in all, even with restarts; only an operator retries")
    func counted() async throws {
        let folder = try TemporaryFolder()
        let time = ManualTime()
        let route = RecordingRoute { _ in .uncertain("unanswered-timed-out") }
        var id = ""
        for number in 1...3 {
            let fixture = try NotificationFixture(in: folder, time: time, routes: [.email: route])
            if number == 1 { id = try await fixture.send() }
            try await fixture.delivering {
                try await fixture.until(
                    "SELECT unanswered FROM message", gives: .integer(Int64(number)))
            }
            #expect(route.messages.count == number)
            time.advance(by: .seconds(600))
            fixture.store.close()
        }
        let fixture = try NotificationFixture(in: folder, time: time, routes: [.email: route])
        #expect(try await fixture.ask("SELECT state FROM message") == [.integer(4)])
        #expect(try await fixture.ask("SELECT reason FROM message") == [.text("unanswered")])
        #expect(try await fixture.ask("SELECT count(*) FROM failed_try") == [.integer(3)])
        _ = try await fixture.outbox.retryMessage(
            .init(messageId: id), fixture.context(from: "tool"))
        #expect(try await fixture.ask("SELECT unanswered FROM message") == [.integer(0)])
        try await fixture.delivering {
            try await fixture.until("SELECT unanswered FROM message", gives: .integer(1))
        }
        #expect(route.messages.count == 4)
    }

    @Test("N-02: a text that one provider may have sent stays uncertain if the next fails")
    func texts() async throws {
        let first = try await HTTPSink { _ in .stall }
        let second = try await HTTPSink { _ in .answer(500) }
        let fixture = try SMSAndPushFixture(
            in: try TemporaryFolder(),
            [
                "provider-plaintext": "true", "provider-timeout": "2s",
                "sms-providers": "twilio,webhook", "sms-twilio-url": first.url(""),
                "sms-twilio-account": "AC1", "sms-twilio-secret": "token",
                "sms-twilio-sender": "+15005550006", "sms-webhook-url": second.url("/sms"),
                "sms-webhook-secret": "a secret of thirty-two bytes, ok",
            ])
        let order = SMSOrder(
            recipient: SMSAndPushFixture.number, templateName: "phone-code", lane: .security,
            language: "en",
            variables: [
                OrderPair(name: "code", value: "482913"), OrderPair(name: "minutes", value: "10"),
            ], expiresAt: nil, account: nil)
        #expect(try await fixture.attempt(.sms(order)) == .uncertain("twilio-timed-out"))
        #expect(second.requests.count == 1)
        await fixture.close()
        await first.close()
        await second.close()
    }

    @Test("only a request that may have carried the message gives an uncertain outcome")
    func failures() {
        #expect(ProviderAnswer("p", .timedOut) == .uncertain("p-timed-out"))
        #expect(ProviderAnswer("p", .interrupted) == .uncertain("p-interrupted"))
        #expect(ProviderAnswer("p", .unreachable) == .failed("p-unreachable", retryAfter: nil))
        let login = ProviderAnswer(withoutMessage: "p", .timedOut)
        #expect(login == .failed("p-timed-out", retryAfter: nil))
        #expect(ProviderAnswer.uncertain("x").breakerOutcome == .failed)
    }
}
