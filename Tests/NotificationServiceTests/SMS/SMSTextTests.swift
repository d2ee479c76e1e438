import Contracts
import Outbound
import RPC
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("Phone numbers and lengths of text messages")
struct SMSTextTests {
    @Test(
        "N-02: anything but an E.164 number is rejected",
        arguments: [
            "", "+", "4915112345678", "+0915112345678", "+49 1511 2345678", "+49-151", "+690729",
            "+1234567890123456", "+４９１５１１２３４５６７", "+4915112345678\n", "tel:+4915112345678",
        ])
    func noNumber(_ text: String) {
        #expect(!SMSOrder.isE164(text))
    }

    @Test(
        "the shortest and the longest number are accepted",
        arguments: ["+6907290", "+123456789012345"])
    func number(_ text: String) {
        #expect(SMSOrder.isE164(text))
    }

    @Test(
        "the number of segments is what phone networks bill, at every boundary",
        arguments: [
            (String(repeating: "a", count: 160), 1), (String(repeating: "a", count: 161), 2),
            (String(repeating: "a", count: 306), 2), (String(repeating: "a", count: 307), 3),
            (String(repeating: "€", count: 80), 1), (String(repeating: "€", count: 81), 2),
            (String(repeating: "ж", count: 70), 1), (String(repeating: "ж", count: 71), 2),
            (String(repeating: "ж", count: 134), 2), (String(repeating: "ж", count: 135), 3),
            (String(repeating: "😀", count: 35), 1), (String(repeating: "😀", count: 36), 2),
            ("", 1), ("äöüÄÖÜß@£", 1),
        ])
    func segments(_ text: String, _ count: Int) {
        #expect(SMSRoute.segments(of: text) == count)
    }

    @Test("a code fits into one segment, whatever its values")
    func code() throws {
        let order = SMSOrder(
            recipient: "+4915112345678", templateName: "phone-code", lane: .security, language: "",
            variables: [
                OrderPair(name: "code", value: "123456789012"),
                OrderPair(name: "minutes", value: "1440"),
            ], expiresAt: nil, account: nil)
        let product = try #require(HeaderText("A product of some length"))
        let words = try #require(TemplateCatalogue.embedded.text(of: order, product: product))
        #expect(words.contains("123456789012"))
        #expect(SMSRoute.segments(of: words) == 1)
    }
}

@Suite("Classification of SMS providers' responses")
struct SMSAnswerTests {
    @Test(
        "N-03: Twilio: a response means accepted, dead number, rejected text, or failure",
        arguments: [
            (answer(201, #"{"sid":"SM1","status":"queued"}"#), ProviderAnswer.taken),
            (
                answer(400, #"{"code":21211,"message":"+49… is no number","status":400}"#),
                .addressIsDead("twilio-21211", since: nil)
            ),
            (answer(400, #"{"code":21610}"#), .addressIsDead("twilio-21610", since: nil)),
            (answer(400, #"{"code":21614}"#), .addressIsDead("twilio-21614", since: nil)),
            (answer(400, #"{"code":21617}"#), .refused("twilio-21617")),
            (answer(400, #"{"code":21408}"#), .later("twilio-21408", retryAfter: nil)),
            (answer(500, #"{"code":21211}"#), .failed("twilio-21211", retryAfter: nil)),
            (answer(401, #"{"code":20003}"#), .failed("twilio-20003", retryAfter: nil)),
            (
                answer(429, #"{"code":20429}"#, [("Retry-After", "30")]),
                .failed("twilio-20429", retryAfter: .seconds(30))
            ),
            (answer(503, "<html>"), .failed("twilio-503", retryAfter: nil)),
            (answer(400, #"{"code":"21211"}"#), .later("twilio-400", retryAfter: nil)),
            (answer(403), .later("twilio-403", retryAfter: nil)),
            (answer(404), .later("twilio-404", retryAfter: nil)),
            (answer(302, ""), .failed("twilio-302", retryAfter: nil)),
        ])
    func twilio(_ response: HTTPResponse, _ wanted: ProviderAnswer) {
        #expect(TwilioSMS.answer(response, at: start) == wanted)
    }

    @Test(
        "N-03: the webhook: a response means accepted, dead number, rejected text, or failure",
        arguments: [
            (answer(204), ProviderAnswer.taken),
            (answer(200, #"{"number_changed":false}"#), .taken),
            (answer(200, #"{"number_changed":"true"}"#), .taken),
            (answer(200, #"{"number_changed":true}"#), .takenForChangedNumber),
            (answer(410), .addressIsDead("sms-webhook-410", since: nil)),
            (answer(422), .refused("sms-webhook-422")),
            (answer(400), .later("sms-webhook-400", retryAfter: nil)),
            (
                answer(404, "", [("Retry-After", "5")]),
                .later("sms-webhook-404", retryAfter: .seconds(5))
            ),
            (answer(401), .failed("sms-webhook-401", retryAfter: nil)),
            (answer(429), .failed("sms-webhook-429", retryAfter: nil)),
            (
                answer(503, "", [("retry-after", "Thu, 01 Jan 2026 00:01:00 GMT")]),
                .failed("sms-webhook-503", retryAfter: .seconds(60))
            ),
        ])
    func webhook(_ response: HTTPResponse, _ wanted: ProviderAnswer) {
        #expect(WebhookSMS.answer(response, at: start) == wanted)
    }
}
