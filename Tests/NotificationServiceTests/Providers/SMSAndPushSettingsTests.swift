import TestSupport
import Testing

@testable import NotificationService

@Suite("Settings of text and push messages")
struct SMSAndPushSettingsTests {
    @Test("with default settings no provider is used, and both channels go to the inbox")
    func defaults() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        #expect(fixture.routes[.sms] is SMSAndPushInbox && fixture.routes[.push] is SMSAndPushInbox)
        await fixture.close()
    }

    @Test(
        "contradictory settings are an error at start that names the setting",
        arguments: [
            (["sms-providers": "pigeon"], "sms-providers"),
            (["sms-providers": "twilio"], "sms-twilio-account"),
            (["sms-providers": "webhook"], "sms-webhook-url"),
            (["sms-webhook-url": "http://127.0.0.1/"], "sms-webhook-url"),
            (["sms-webhook-url": "https://user@sms.example/"], "sms-webhook-url"),
            (["sms-webhook-secret": "short"], "sms-webhook-secret"),
            (["push-fcm-account": "{}"], "push-fcm-account"),
            (["push-apns-key": "nonsense"], "push-apns-key"),
            (["push-apns-topics": "com example"], "push-apns-topics"),
        ])
    func invalidSettings(_ environment: [String: String], _ name: String) throws {
        let refused = #expect(throws: SettingsRefused.self) {
            try SMSAndPushFixture.settings(environment)
        }
        #expect(refused?.text.contains(name) == true)
        #expect(refused?.text.contains("nonsense") != true)
    }
}
