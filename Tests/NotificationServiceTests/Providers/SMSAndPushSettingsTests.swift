import FoundationEssentials
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

    @Test("channels without a provider share one inbox")
    func sharedInbox() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let routes = try SMSAndPushFixture.settings([:]).makeRoutes(
            fixture.store, fixture.keys, fixture.time, fixture.log.logger(time: fixture.time))
        let mails = (routes[.email] as? EmailRoute)?.transport as? MaildirInbox
        #expect(mails != nil)
        #expect((routes[.sms] as? SMSAndPushInbox)?.inbox === mails)
        #expect((routes[.push] as? SMSAndPushInbox)?.inbox === mails)
        await fixture.close()
    }

    @Test("with a provider for each channel there is no inbox folder")
    func noInbox() async throws {
        let folder = try TemporaryFolder()
        let fixture = try SMSAndPushFixture(
            in: folder,
            [
                "sms-providers": "webhook", "sms-webhook-url": "https://sms.example/send",
                "sms-webhook-secret": "a secret of thirty-two bytes, ok",
                "push-apns-key-file": try folder.write(AppleDeliveryTests.pem, to: "AuthKey.p8"),
                "push-apns-key-id": "KEYID12345", "push-apns-team": "TEAMID1234",
                "push-apns-topics": "com.example.app",
            ])
        #expect(fixture.routes[.sms] is SMSRoute && fixture.routes[.push] is PushRoute)
        #expect(!FileManager.default.fileExists(atPath: folder.file("inbox")))
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
