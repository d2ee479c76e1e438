import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("The rule of notices, and the text of a device's name")
struct NoticeRuleTests {
    @Test(
        "any address is mailed, at most three times an hour for each kind",
        arguments: [
            (nil, 0, NoticeRule.Decision.unmailed), (true, 0, .mailed(namingDevice: true)),
            (false, 0, .mailed(namingDevice: false)), (true, 2, .mailed(namingDevice: true)),
            (false, 2, .mailed(namingDevice: false)), (true, 3, .unmailed), (false, 3, .unmailed),
        ])
    func table(isProved: Bool?, recent: Int, decision: NoticeRule.Decision) {
        #expect(NoticeRule.decision(isProved: isProved, recent: recent) == decision)
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
