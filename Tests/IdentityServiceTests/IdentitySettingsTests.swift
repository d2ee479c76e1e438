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
        #expect(settings.notMeLife == .seconds(7 * 86_400))
        #expect(settings.passwordHashing.parameters == .standard)
        #expect(settings.enumeration == .friendly)
        #expect(settings.emailVerification == .optional)
        #expect(settings.passwordPolicy == .document)
        #expect(settings.appName == "Postern")
        #expect(settings.documentWriters.isEmpty && settings.pushSenders.isEmpty)
        #expect(settings.accountManagers.isEmpty)
        #expect(settings.backends.isEmpty)
        #expect(settings.signInMail == .new && settings.welcomeMail == .verified)
        #expect(settings.remembersPlaces && !settings.usesNewDeviceMail)
        #expect(settings.secondFactors.mode == .optional)
        #expect(settings.secondFactors.resetWait == .seconds(86_400))
    }

    @Test("F-03: a removal of second factors may be done at once by the operator's tool alone")
    func resetWait() throws {
        let settings: IdentitySettings = try SettingsLoader.settings(environment: [
            "POSTERN_SECOND_FACTOR": "required", "POSTERN_SECOND_FACTOR_RESET_WAIT": "0s",
        ])
        #expect(settings.secondFactors.mode == .required)
        #expect(settings.secondFactors.resetWait(byOperator: true) == .zero)
        #expect(settings.secondFactors.resetWait(byOperator: false) == .seconds(3_600))
        var longer = settings.secondFactors
        longer.resetWait = .seconds(7 * 86_400)
        for isOperators in [false, true] {
            #expect(longer.resetWait(byOperator: isOperators) == longer.resetWait)
        }
    }

    @Test("N-01: new-device-mail still works, as the former name of sign-in-mail")
    func formerName() throws {
        func load(_ values: [String: String]) throws -> IdentitySettings {
            try SettingsLoader.settings(environment: values)
        }
        for (given, mode) in [("false", IdentitySettings.SignInMailMode.never), ("true", .new)] {
            let settings = try load(["POSTERN_NEW_DEVICE_MAIL": given])
            #expect(settings.signInMail == mode && settings.usesNewDeviceMail)
        }
        let both = try load(["POSTERN_NEW_DEVICE_MAIL": "false", "POSTERN_SIGN_IN_MAIL": "always"])
        #expect(both.signInMail == .always)
        let current = try load([
            "POSTERN_SIGN_IN_MAIL": "never", "POSTERN_WELCOME_MAIL": "sign-up",
            "POSTERN_SIGN_IN_PLACES": "false",
        ])
        #expect(current.signInMail == .never && current.welcomeMail == .signUp)
        #expect(!current.remembersPlaces && !current.usesNewDeviceMail)
    }

    @Test("X-02, G-02, I-02: configured values take effect")
    func chosen() throws {
        let settings: IdentitySettings = try SettingsLoader.settings(environment: [
            "POSTERN_ENUMERATION": "strict", "POSTERN_EMAIL_VERIFICATION": "required",
            "POSTERN_PASSWORD_POLICY": "letters-digits", "POSTERN_APP_NAME": "Track Log",
            "POSTERN_CONSENT": "required", "POSTERN_TERMS_VERSION": "2026-01",
            "POSTERN_PRIVACY_VERSION": "4", "POSTERN_TERMS_URL": "https://example.org/terms",
            "POSTERN_DOCUMENT_WRITERS": "billing,shop", "POSTERN_PUSH_SENDERS": "shop",
            "POSTERN_ACCOUNT_MANAGERS": "crm",
        ])
        #expect(settings.consent.mode == .required)
        #expect(settings.backends == ["billing", "crm", "shop"])
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
            ("POSTERN_NOT_ME_LIFE", "59m"), ("POSTERN_NOT_ME_LIFE", "31d"),
            ("POSTERN_PASSWORD_HASH_PASSES", "1"), ("POSTERN_DEFAULT_LANGUAGE", "e n"),
            ("POSTERN_DOCUMENT_WRITERS", "billing,gateway"), ("POSTERN_DOCUMENT_WRITERS", "web"),
            ("POSTERN_PUSH_SENDERS", "shop,tool"), ("POSTERN_PUSH_SENDERS", "gateway"),
            ("POSTERN_ACCOUNT_MANAGERS", "tool"), ("POSTERN_ACCOUNT_MANAGERS", "crm,web"),
            ("POSTERN_WEB_ORIGINS", "auth.example.org"),
            ("POSTERN_CONSENT", "asked"), ("POSTERN_CONSENT", "required"),
            ("POSTERN_TERMS_VERSION", "1"), ("POSTERN_TERMS_URL", "terms.example"),
            ("POSTERN_PRIVACY_URL", "javascript:x"),
            ("POSTERN_SIGN_IN_MAIL", "true"), ("POSTERN_WELCOME_MAIL", "sign_up"),
            ("POSTERN_SECOND_FACTOR", "always"), ("POSTERN_SECOND_FACTOR_RESET_WAIT", "8d"),
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
