import Contracts
import HTTPSink
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("Providers' circuit breakers")
struct ProviderBreakerTests {
    @Test(
        "N-03: errors about single messages do not open a provider's breaker; its own failures do",
        arguments: [(400, 30), (403, 30), (404, 30), (401, 10), (429, 10), (500, 10)])
    func breaker(_ status: Int, _ requests: Int) async throws {
        let sink = try await HTTPSink { _ in .answer(status) }
        let fixture = try SMSAndPushFixture(
            in: try TemporaryFolder(),
            [
                "provider-plaintext": "true", "sms-providers": "webhook",
                "sms-webhook-url": sink.url("/sms"), "sms-rate": "1000",
                "sms-webhook-secret": "a secret of thirty-two bytes, ok",
            ])
        let order = SMSOrder(
            recipient: SMSAndPushFixture.number, templateName: "phone-code", lane: .security,
            language: "en",
            variables: [
                OrderPair(name: "code", value: "482913"), OrderPair(name: "minutes", value: "10"),
            ], expiresAt: nil, account: nil)
        for _ in 0..<30 { _ = try await fixture.attempt(.sms(order)) }
        // Ten failures open the breaker (CircuitBreaker), and the clock does not advance.
        #expect(sink.requests.count == requests)
        await fixture.close()
        await sink.close()
    }

    @Test("a temporary rejection of one message does not count for the breaker")
    func waits() {
        #expect(ProviderAnswer.later("x", retryAfter: nil).breakerOutcome == .answered)
        #expect(MailVerdict.later("x").breakerOutcome == .answered)
    }
}
