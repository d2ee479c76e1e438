import Cryptography
import NotificationService
import Outbound
import TestSupport
import Testing

@Suite("The notification service's settings")
struct NotificationSettingsTests {
    @Test("everything runs on defaults: no mail server, an inbox in the data folder")
    func defaults() throws {
        let settings = try ServiceBench.settings([:])
        #expect(settings.server == nil)
        let folder = try TemporaryFolder()
        let route = try settings.makeMailRoute(dataFolder: folder.path)
        #expect((route as? MaildirInbox)?.folder == folder.file("inbox"))
    }

    @Test("a mail server, its password from a file")
    func server() throws {
        let folder = try TemporaryFolder()
        let settings = try ServiceBench.settings([
            "POSTERN_SMTP_HOST": "mail.example.org", "POSTERN_SMTP_USER": "us",
            "POSTERN_SMTP_PASSWORD_FILE": try folder.write("secret\n", to: "password"),
            "POSTERN_SENDER_ADDRESS": "auth@example.org", "POSTERN_SENDER_NAME": "Tea & Cake",
        ])
        let server = try #require(settings.server)
        #expect(server.host == "mail.example.org")
        #expect(server.port == 587)
        #expect(server.encryption == .required)
        #expect(server.clientName == "example.org")
        #expect(server.credentials?.password.withBytes { Array($0) } == Array("secret".utf8))
        #expect(settings.sender.name.text == "Tea & Cake")
        #expect(try settings.makeMailRoute(dataFolder: folder.path) is SMTPRoute)
    }

    @Test(
        "what cannot work is refused at the start, by name",
        arguments: [
            (["POSTERN_SENDER_ADDRESS": "nobody"], "sender-address"),
            (["POSTERN_SENDER_NAME": String(repeating: "x", count: 101)], "sender-name"),
            (["POSTERN_SMTP_HOST": "mail/evil"], "smtp-host"),
            (["POSTERN_SMTP_HOST": "m", "POSTERN_SMTP_USER": "us"], "smtp-password"),
            (
                [
                    "POSTERN_SMTP_HOST": "m", "POSTERN_SMTP_USER": "us",
                    "POSTERN_SMTP_PASSWORD": "x", "POSTERN_SMTP_ENCRYPTION": "none",
                ], "smtp-encryption"
            ),
        ])
    func mistakes(_ environment: [String: String], _ setting: String) {
        let refused = #expect(throws: SettingsRefused.self) {
            try ServiceBench.settings(environment)
        }
        #expect(refused?.text.contains(setting) == true)
    }
}
