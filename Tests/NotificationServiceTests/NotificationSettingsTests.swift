import Cryptography
import Glibc
import Outbound
import TestSupport
import Testing

@testable import NotificationService

@Suite("The notification service's settings")
struct NotificationSettingsTests {
    @Test("with default settings there is no mail server, and an inbox in the data folder")
    func defaults() throws {
        let settings = try NotificationFixture.settings([:])
        #expect(settings.mailServers.entries.isEmpty)
        #expect(settings.dkim.signer == nil)
        let folder = try TemporaryFolder()
        #expect((try route(settings, folder) as? MaildirInbox)?.folder == folder.file("inbox"))
    }

    @Test("a mail server is configured, its password read from a file")
    func server() throws {
        let folder = try TemporaryFolder()
        let settings = try NotificationFixture.settings([
            "POSTERN_SMTP_HOST": "mail.example.org", "POSTERN_SMTP_USER": "us",
            "POSTERN_SMTP_PASSWORD_FILE": try folder.write("secret\n", to: "password"),
            "POSTERN_SENDER_ADDRESS": "auth@example.org", "POSTERN_SENDER_NAME": "Tea & Cake",
        ])
        let server = try #require(settings.mailServers.entries.first?.server)
        #expect(server.host == "mail.example.org")
        #expect(server.port == 587)
        #expect(server.encryption == .required)
        #expect(server.clientName == "example.org")
        guard case .password(let password)? = server.credentials?.proof else {
            Issue.record("no password")
            return
        }
        #expect(password.withBytes { Array($0) } == Array("secret".utf8))
        #expect(settings.sender.name.text == "Tea & Cake")
        #expect(try route(settings, folder) is SMTPTransport)
    }

    @Test("three mail servers are used in order, one with implicit TLS, one with a token")
    func servers() throws {
        let settings = try NotificationFixture.settings([
            "POSTERN_SMTP_HOST": "one.example", "POSTERN_SMTP_SECOND_HOST": "two.example",
            "POSTERN_SMTP_SECOND_ENCRYPTION": "implicit", "POSTERN_SMTP_SECOND_RATE": "14",
            "POSTERN_SMTP_THIRD_HOST": "three.example", "POSTERN_SMTP_THIRD_USER": "us",
            "POSTERN_SMTP_THIRD_TOKEN_PATH": "/run/token",
            "POSTERN_SENDER_ADDRESS": "auth@example.org",
        ])
        let entries = settings.mailServers.entries
        #expect(entries.map(\.server.host) == ["one.example", "two.example", "three.example"])
        #expect(entries.map(\.server.port) == [587, 465, 587])
        #expect(entries.map(\.rate) == [nil, 14, nil])
        guard case .tokenFile("/run/token")? = entries[2].server.credentials?.proof else {
            Issue.record("no token")
            return
        }
    }

    @Test("a mail server of this machine needs no sender address")
    func localServer() throws {
        let settings = try NotificationFixture.settings(["POSTERN_SMTP_HOST": "127.0.0.1"])
        #expect(settings.mailServers.entries.map(\.server.host) == ["127.0.0.1"])
    }

    @Test("DKIM keys are loaded, and the DNS records are shown for them")
    func signing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(RSAVectors.pem, to: "rsa.pem")
        _ = chmod(path, 0o600)
        let settings = try NotificationFixture.settings([
            "POSTERN_SENDER_ADDRESS": "auth@mail.example.org",
            "POSTERN_DKIM_DOMAIN": "example.org", "POSTERN_DKIM_RSA_KEY": path,
        ])
        let record = try #require(settings.dkim.records.first)
        #expect(settings.dkim.records.count == 1)
        #expect(record.name == "postern._domainkey.example.org")
        #expect(record.text.hasPrefix("v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"))
        #expect(record.zoneLine.split(separator: "\"").allSatisfy { $0.utf8.count <= 255 })
        #expect(settings.dkim.signer != nil)
    }

    @Test(
        "invalid or contradictory settings are rejected at start, by name",
        arguments: [
            (["POSTERN_SENDER_ADDRESS": "nobody"], "sender-address"),
            (["POSTERN_SENDER_NAME": String(repeating: "x", count: 101)], "sender-name"),
            (["POSTERN_SMTP_HOST": "mail/evil"], "smtp-host"),
            (["POSTERN_SMTP_HOST": "mail.example.org"], "sender-address"),
            (["POSTERN_SMTP_HOST": "m", "POSTERN_SMTP_USER": "us"], "smtp-password"),
            (
                [
                    "POSTERN_SMTP_HOST": "m", "POSTERN_SMTP_USER": "us",
                    "POSTERN_SMTP_PASSWORD": "x", "POSTERN_SMTP_ENCRYPTION": "none",
                ], "smtp-encryption"
            ),
            (["POSTERN_SMTP_SECOND_HOST": "m"], "smtp-second-host"),
            (
                [
                    "POSTERN_SMTP_HOST": "m", "POSTERN_SMTP_USER": "us",
                    "POSTERN_SMTP_PASSWORD": "x", "POSTERN_SMTP_TOKEN_PATH": "/x",
                ], "smtp-token-path"
            ),
            (
                [
                    "POSTERN_SMTP_HOST": "m", "POSTERN_SMTP_SECOND_HOST": "n",
                    "POSTERN_DELIVERY_TIMEOUT": "61s",
                ], "delivery-timeout"
            ),
            (["POSTERN_DKIM_RSA_KEY": "/nothing"], "dkim-rsa-key"),
            (["POSTERN_DKIM_ED25519_KEY": "/nothing"], "dkim-ed25519-key"),
            (["POSTERN_DKIM_DOMAIN": "other.example"], "dkim-domain"),
            (["POSTERN_UNSUBSCRIBE_URL": "http://app.example/end"], "unsubscribe-url"),
        ])
    func invalidSettings(_ environment: [String: String], _ setting: String) {
        let refused = #expect(throws: SettingsRefused.self) {
            try NotificationFixture.settings(environment)
        }
        #expect(refused?.text.contains(setting) == true)
    }

    private func route(
        _ settings: NotificationSettings, _ folder: TemporaryFolder
    ) throws -> any MailTransport {
        let time = ManualTime()
        return try settings.makeMailTransport(
            inbox: { try settings.makeInbox(dataFolder: folder.path) }, time: time,
            logger: CapturedLog().logger(time: time))
    }
}
