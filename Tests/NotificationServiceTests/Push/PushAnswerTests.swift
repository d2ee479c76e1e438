import JSON
import Messages
import Outbound
import RPC
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("Classification of push providers' responses")
struct PushAnswerTests {
    @Test(
        "N-04: FCM: a device is removed only if its token is unregistered or invalid",
        arguments: [
            (answer(200, #"{"name":"projects/p/messages/1"}"#), ProviderAnswer.taken),
            (google(404, "UNREGISTERED"), .addressIsDead("fcm-UNREGISTERED", since: nil)),
            (
                google(400, "INVALID_ARGUMENT", field: "message.token"),
                .addressIsDead("fcm-INVALID_ARGUMENT", since: nil)
            ),
            (
                google(400, "INVALID_ARGUMENT", field: "message.data"),
                .refused("fcm-INVALID_ARGUMENT")
            ),
            (google(400, "INVALID_ARGUMENT"), .refused("fcm-INVALID_ARGUMENT")),
            (
                google(403, "SENDER_ID_MISMATCH"),
                .later("fcm-SENDER_ID_MISMATCH", retryAfter: nil)
            ),
            (google(404, "SOMETHING_ELSE"), .later("fcm-404", retryAfter: nil)),
            (answer(404, "<html>no such project</html>"), .later("fcm-404", retryAfter: nil)),
            (
                google(429, "QUOTA_EXCEEDED"),
                .failed("fcm-QUOTA_EXCEEDED", retryAfter: .seconds(60))
            ),
            (
                answer(503, "", [("Retry-After", "7")]),
                .failed("fcm-503", retryAfter: .seconds(7))
            ),
            (answer(401), .failed("fcm-401", retryAfter: nil)),
        ])
    func fcm(_ response: HTTPResponse, _ wanted: ProviderAnswer) {
        #expect(FCM.answer(response, at: start) == wanted)
    }

    @Test(
        "N-04: APNs: status and reason decide whether to retry, refuse or remove the device",
        arguments: [
            (answer(200), ProviderAnswer.taken),
            (
                answer(410, #"{"reason":"Unregistered","timestamp":1767225600000}"#),
                .addressIsDead("apns-Unregistered", since: start)
            ),
            (answer(410), .addressIsDead("apns-410", since: nil)),
            (
                answer(400, #"{"reason":"BadDeviceToken"}"#),
                .addressIsDead("apns-BadDeviceToken", since: nil)
            ),
            (
                answer(400, #"{"reason":"DeviceTokenNotForTopic"}"#),
                .refused("apns-DeviceTokenNotForTopic")
            ),
            (answer(400, #"{"reason":"BadTopic"}"#), .later("apns-BadTopic", retryAfter: nil)),
            (answer(413, #"{"reason":"PayloadTooLarge"}"#), .refused("apns-PayloadTooLarge")),
            (
                answer(403, #"{"reason":"ExpiredProviderToken"}"#),
                .failed("apns-ExpiredProviderToken", retryAfter: nil)
            ),
            (
                answer(429, #"{"reason":"TooManyRequests"}"#, [("retry-after", "5")]),
                .failed("apns-TooManyRequests", retryAfter: .seconds(5))
            ),
            (answer(503, #"{"reason":"Shutdown"}"#), .failed("apns-Shutdown", retryAfter: nil)),
            (
                answer(400, #"{"reason":"+4915112345621 is bad"}"#),
                .later("apns-400", retryAfter: nil)
            ),
        ])
    func apns(_ response: HTTPResponse, _ wanted: ProviderAnswer) {
        #expect(APNs.answer(response, at: start) == wanted)
    }

    @Test("the largest message that is accepted fits into APNs' 4 KiB")
    func payload() throws {
        var request = NotificationV1.SendPushRequest(
            accountId: try SMSAndPushFixture.account(1).text,
            title: String(repeating: "t", count: 120),
            body: String(repeating: "\"", count: 1_024),
            data: (10..<26).map { .init(name: "\($0)", value: String(repeating: "\"", count: 42)) })
        let order = try PushOrder(request)
        let push = OutgoingPush(
            id: try #require(MessageID(key: .max)), token: "t", app: "a",
            words: PushWords(title: order.title, body: order.body), data: order.data,
            collapseKey: "c", isUrgent: true, expiresAt: nil)
        #expect((3_584...4_096).contains(APNs.payload(push).count))
        #expect(JSONReader.object(in: APNs.payload(push)) != nil)
        #expect(JSONReader.object(in: FCM.payload(push, secondsLeft: 5)) != nil)
        request.data[0].value += String(repeating: "\"", count: 30)
        #expect(throws: ServiceError.self) {
            try PushOrder(request)
        }
    }

    @Test("the apns-id of a message is a UUID and the same at every attempt")
    func identifier() throws {
        let first = APNs.identifier(of: try #require(MessageID(key: 7)))
        #expect(first == APNs.identifier(of: try #require(MessageID(key: 7))))
        #expect(first != APNs.identifier(of: try #require(MessageID(key: 8))))
        let parts = first.split(separator: "-").map(\.count)
        #expect(
            parts == [8, 4, 4, 4, 12] && first[first.index(first.startIndex, offsetBy: 14)] == "8")
    }
}

/// An FCM error response.
private func google(_ status: Int, _ code: String, field: String? = nil) -> HTTPResponse {
    let violation =
        field.map {
            #",{"@type":"b","fieldViolations":[{"field":"\#($0)","description":"d"}]}"#
        } ?? ""
    return answer(
        status,
        #"{"error":{"code":\#(status),"message":"m","status":"S","details":[{"@type":"a","errorCode":"\#(code)"}\#(violation)]}}"#
    )
}
