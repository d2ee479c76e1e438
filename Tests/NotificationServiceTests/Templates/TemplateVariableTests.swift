import Contracts
import Testing

@testable import NotificationService

@Suite("Validation of template variables")
struct TemplateVariableTests {
    @Test("a device name, time, place or method may not contain a link or markup")
    func words() {
        let words: [TemplateVariable] = [.device, .time, .name, .place, .method, .methods]
        for variable in words {
            for good in ["", "Ada's phone", "Zoë’s (2nd) Pixel-8", "2026-01-31 09:05 UTC"] {
                #expect(variable.allows(good))
            }
            for bad in [
                "evil.example", "https://evil", "a@b", "a\r\nb", "<b>", "\u{202E}x",
                String(repeating: "x", count: 257),
            ] {
                #expect(!variable.allows(bad), "\(bad)")
            }
        }
        #expect(TemplateVariable.place.allows("Leipzig, Germany"))
    }

    @Test("a link is a plain http or https URL")
    func links() {
        for good in ["https://a.example/x?y=z#w", "http://127.0.0.1:8080/v/%20"] {
            #expect(TemplateVariable.link.allows(good))
            #expect(TemplateVariable.notMeLink.allows(good))
            #expect(TemplateVariable.securityLink.allows(good))
        }
        for bad in [
            "", "javascript:alert(1)", "HTTPS", "ftp://a.example", "//a.example",
            "https://a.example/\r\nBcc: x", "https://a.example/ x", "https://a.example/\"onclick=",
            "https://a.example/'", "https://a.example/<script>", "https://a.example/ü",
            "https://a.example/" + String(repeating: "x", count: 2_048),
        ] {
            #expect(!TemplateVariable.link.allows(bad), "\(bad)")
            #expect(TemplateVariable.notMeLink.allows(bad) == bad.isEmpty, "\(bad)")
            #expect(TemplateVariable.securityLink.allows(bad) == bad.isEmpty, "\(bad)")
        }
    }

    @Test("a code is 4 to 12 letters and digits, minutes are digits, an address is valid")
    func narrow() {
        #expect(
            TemplateVariable.code.allows("0042") && TemplateVariable.code.allows("AB12CD34EF56"))
        for bad in ["", "123", "1234567890123", "12 34", "１２３４", "<b>12", "12.34"] {
            #expect(!TemplateVariable.code.allows(bad), "\(bad)")
        }
        #expect(TemplateVariable.minutes.allows("5"))
        for bad in ["", "five", "-1", "12345", "٥"] {
            #expect(!TemplateVariable.minutes.allows(bad), "\(bad)")
        }
        #expect(TemplateVariable.address.allows("ada@example.org"))
        for bad in ["", "ada", "a@b\r\nBcc: c@d.example"] {
            #expect(!TemplateVariable.address.allows(bad), "\(bad)")
        }
    }

    @Test("each variable has a sample value that is valid")
    func samples() {
        for variable in TemplateVariable.allCases {
            #expect(variable.allows(variable.sample), "\(variable)")
        }
    }
}
