import Contracts
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("The rule of notices, and the text of a device's name")
struct NoticeRuleTests {
    @Test("three notices of a kind are sent an hour, and one a day of a lock")
    func table() {
        for template in MailTemplate.allCases {
            let (count, window) = NoticeRule.limit(of: template)
            let isLock = template == .signInLocked
            #expect(window == (isLock ? .seconds(86_400) : .seconds(3_600)), "\(template)")
            #expect(count == (isLock ? 1 : 3), "\(template)")
            for recent in 0...4 {
                #expect(
                    NoticeRule.permits(template, recent: recent) == (recent < count),
                    "\(template) after \(recent)")
            }
            #expect(window <= NoticeRule.retention)
        }
        for recent in 0...4 {
            #expect(NoticeRule.permitsText(recent: recent) == (recent < 3))
        }
    }

    @Test(
        "a device's name keeps letters, digits and a few marks, so it cannot contain a link",
        arguments: [
            ("Ada's phone", "ios", "Ada's phone"), ("", "ios", "ios"), ("", "", ""),
            ("Zoë’s (2nd) Pixel-8", "android", "Zoë’s (2nd) Pixel-8"),
            ("Win! https://evil.example/x", "web", "Win https evil example x"),
            ("a@evil.example", "web", "a evil example"), ("\u{202E}..//", "web", "web"),
            ("a\r\nBcc: x", "web", "a Bcc x"), ("<b>bold</b>", "web", "b bold b"),
        ])
    func words(name: String, platform: String, words: String) {
        #expect(DeviceWords.words(name: name, platform: platform) == words)
    }

    @Test(
        "N-01: a device that its app gave no name is named by its program, or else its platform",
        arguments: [
            ("Ada's phone", "firefox 131, linux", "web", "Ada's phone"),
            ("", "firefox 131, linux", "web", "Firefox 131 (Linux)"),
            ("!", "samsung-internet 26, android", "web", "Samsung Internet 26 (Android)"),
            ("", "safari 18, ios", "web", "Safari 18 (iOS)"),
            ("", "duckduckgo 5, macos", "", "DuckDuckGo 5 (macOS)"),
            ("", "safari, other", "web", "Safari"), ("", "other, chromeos", "", "ChromeOS"),
            ("", "okhttp 4, android", "android", "Android"),
            ("", "cfnetwork 1568, other", "ios", "ios"), ("", "other, other", "web", "web"),
            ("", "other, other", "", ""), ("", "", "ios", "ios"),
            ("", "Mozilla/5.0 https://evil.example", "web", "web"),
            ("", "https://evil.example, x", "web", "Https evil example (X)"),
        ])
    func program(name: String, agent: String, platform: String, words: String) {
        #expect(DeviceWords.words(name: name, agent: agent, platform: platform) == words)
    }

    @Test("a device's name is limited in characters and in bytes")
    func short() {
        let long = DeviceWords.words(name: String(repeating: "x", count: 500), platform: "")
        #expect(long.count == 40)
        let marks = "e" + String(repeating: "\u{301}", count: 500)
        #expect(DeviceWords.words(name: marks, platform: "cli") == "cli")
        let heavy = String(repeating: "e" + String(repeating: "\u{301}", count: 20), count: 40)
        #expect((1...160).contains(DeviceWords.words(name: heavy, platform: "").utf8.count))
    }

    @Test("a time is shown to the minute, in UTC")
    func time() {
        let moment = Timestamp(milliseconds: 1_767_225_659_999)
        #expect(NoticeTime.text(of: moment) == "2026-01-01 00:00 UTC")
    }
}
