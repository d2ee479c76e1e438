import Cryptography
import ServiceRuntime
import TestSupport
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
        let settings: IdentitySettings = try SettingsLoader.settings()
        #expect(settings.linkOrigin == "http://localhost:3000")
        #expect(settings.verificationLife == .seconds(86_400))
        #expect(settings.passwordHashing.parameters == .standard)
        #expect(settings.enumeration == .friendly)
        #expect(settings.emailVerification == .optional)
        #expect(settings.passwordPolicy == .document)
        #expect(settings.appName == "Postern")
        #expect(settings.documentWriters.isEmpty)
    }

    @Test("X-02, G-02, I-02: configured values take effect")
    func chosen() throws {
        let settings: IdentitySettings = try SettingsLoader.settings(environment: [
            "POSTERN_ENUMERATION": "strict", "POSTERN_EMAIL_VERIFICATION": "required",
            "POSTERN_PASSWORD_POLICY": "letters-digits", "POSTERN_APP_NAME": "Track Log",
            "POSTERN_CONSENT": "required", "POSTERN_TERMS_VERSION": "2026-01",
            "POSTERN_PRIVACY_VERSION": "4", "POSTERN_TERMS_URL": "https://example.org/terms",
        ])
        #expect(settings.consent.mode == .required)
        #expect(settings.consent.current == ConsentVersions(terms: "2026-01", privacy: "4"))
        #expect(settings.consent.termsURL == "https://example.org/terms")
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
            ("POSTERN_LINK_ORIGIN", "http://app.example"),
            ("POSTERN_VERIFICATION_LIFE", "25h"), ("POSTERN_PASSWORD_HASH_MEMORY", "19455"),
            ("POSTERN_PASSWORD_HASH_PASSES", "1"), ("POSTERN_DEFAULT_LANGUAGE", "e n"),
            ("POSTERN_DOCUMENT_WRITERS", "billing,gateway"), ("POSTERN_DOCUMENT_WRITERS", "web"),
            ("POSTERN_WEB_ORIGINS", "auth.example.org"),
            ("POSTERN_CONSENT", "asked"), ("POSTERN_CONSENT", "required"),
            ("POSTERN_TERMS_VERSION", "1"), ("POSTERN_TERMS_URL", "terms.example"),
            ("POSTERN_PRIVACY_URL", "javascript:x"),
            ("POSTERN_ENUMERATION", "strikt"), ("POSTERN_PASSWORD_POLICY", "none"),
        ])
    func refused(name: String, value: String) {
        guard case .exit(_, let code) = load([name: value]) else {
            Issue.record("\(value) is taken")
            return
        }
        #expect(code != 0)
    }
}
