import Cryptography
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("The identity service's settings")
struct IdentitySettingsTests {
    private func load(_ environment: [String: String]) -> SettingsLoader.Outcome<IdentitySettings> {
        SettingsLoader(
            program: "postern-identity", summary: "", arguments: [], environment: environment
        ).load(IdentitySettings.self)
    }

    @Test("the defaults are valid")
    func defaults() throws {
        guard case .run(let settings) = load([:]) else {
            Issue.record("the defaults are refused")
            return
        }
        #expect(settings.linkOrigin == "http://localhost:3000")
        #expect(settings.verificationLife == .seconds(86_400))
        #expect(settings.passwordHashing.parameters == .standard)
        #expect(settings.enumeration == .friendly)
        #expect(settings.emailVerification == .optional)
        #expect(settings.passwordPolicy == .document)
        #expect(settings.appName == "")
    }

    @Test("X-02, G-02, I-02: configured values take effect")
    func chosen() {
        let outcome = load([
            "POSTERN_ENUMERATION": "strict", "POSTERN_EMAIL_VERIFICATION": "required",
            "POSTERN_PASSWORD_POLICY": "letters-digits", "POSTERN_APP_NAME": "Track Log",
        ])
        guard case .run(let settings) = outcome else {
            Issue.record("the settings are refused")
            return
        }
        #expect(settings.enumeration == .strict)
        #expect(settings.emailVerification == .required)
        #expect(settings.passwordPolicy == .lettersAndDigits)
        #expect(settings.appName == "Track Log")
    }

    @Test(
        "an invalid value of each setting is refused",
        arguments: [
            ("POSTERN_LINK_ORIGIN", "app.example"), ("POSTERN_LINK_ORIGIN", "https://"),
            ("POSTERN_LINK_ORIGIN", "https://app.example/path"),
            ("POSTERN_LINK_ORIGIN", "javascript://app.example"),
            ("POSTERN_LINK_ORIGIN", "https://user@app.example"),
            ("POSTERN_VERIFICATION_LIFE", "25h"), ("POSTERN_PASSWORD_HASH_MEMORY", "19455"),
            ("POSTERN_PASSWORD_HASH_PASSES", "1"), ("POSTERN_DEFAULT_LANGUAGE", "e n"),
            ("POSTERN_ENUMERATION", "strikt"), ("POSTERN_PASSWORD_POLICY", "none"),
        ])
    func refused(name: String, value: String) {
        guard case .leave(_, let code) = load([name: value]) else {
            Issue.record("\(value) is taken")
            return
        }
        #expect(code != 0)
    }

    @Test(
        "origins with and without a port are accepted",
        arguments: [
            "https://app.example", "https://app.example:8443", "http://127.0.0.1:3000",
            "http://[::1]:3000",
        ])
    func origins(text: String) {
        #expect(HTTPOrigin.isOrigin(text))
        #expect(HTTPOrigin.isLoopback(text) == !text.contains("app.example"))
    }
}
