import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("F-01: the settings of passkeys")
struct PasskeySettingsTests {
    private func settings(_ environment: [String: String]) throws -> IdentitySettings {
        try SettingsLoader.settings(environment: environment)
    }

    @Test("F-01: without a domain passkeys are off, also where a second factor is required")
    func off() throws {
        let settings = try settings(["POSTERN_SECOND_FACTOR": "required"])
        #expect(settings.passkeyRelyingParty == nil && !settings.countsPasskeys)
    }

    @Test("F-01: the origins are those of the web service at or below the domain, by default")
    func webOrigins() throws {
        let settings = try settings([
            "POSTERN_PASSKEY_RP_ID": "example.org",
            "POSTERN_WEB_ORIGINS":
                "https://auth.example.org,https://example.org:8443,https://example.com",
        ])
        let relyingParty = try #require(settings.passkeyRelyingParty)
        #expect(relyingParty.id.text == "example.org" && relyingParty.related.isEmpty)
        #expect(
            relyingParty.origins.map(\.text)
                == ["https://auth.example.org", "https://example.org:8443"])
        #expect(!relyingParty.accepts("https://example.com"))
        #expect(!settings.countsPasskeys, "no second factor is required")
    }

    @Test("F-01: origins that are named replace those, and apps on Android are among them")
    func named() throws {
        let certificate = Array(repeating: "14", count: 32).joined(separator: ":")
        let settings = try settings([
            "POSTERN_PASSKEY_RP_ID": "localhost", "POSTERN_SECOND_FACTOR": "required",
            "POSTERN_WEB_ORIGINS": "http://localhost:7480",
            "POSTERN_PASSKEY_ORIGINS": "http://localhost:5173,\(certificate)",
            "POSTERN_PASSKEY_RELATED_ORIGINS": "https://example.com",
        ])
        let relyingParty = try #require(settings.passkeyRelyingParty)
        #expect(relyingParty.accepts("http://localhost:5173"))
        #expect(
            relyingParty.accepts(
                "android:apk-key-hash:FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQ"))
        #expect(!relyingParty.accepts("http://localhost:7480"))
        #expect(relyingParty.related.map(\.text) == ["https://example.com"])
        #expect(settings.countsPasskeys)
    }

    @Test(
        "F-01: a value that no browser would take is refused at the start",
        arguments: [
            ["RP_ID": "127.0.0.1"], ["RP_ID": "Example.org"], ["RP_ID": "https://example.org"],
            ["RP_ID": "intranet"], ["ORIGINS": "https://example.org"],
            ["RELATED_ORIGINS": "https://example.com"],
            ["RP_ID": "example.org", "ORIGINS": "https://example.com"],
            ["RP_ID": "example.org", "ORIGINS": "http://app.example.org"],
            ["RP_ID": "example.org", "ORIGINS": "https://example.org/"],
            ["RP_ID": "example.org", "ORIGINS": "https://evilexample.org"],
            ["RP_ID": "example.org", "RELATED_ORIGINS": "https://app.example.org"],
            ["RP_ID": "example.org", "RELATED_ORIGINS": "http://localhost:5173"],
            [
                "RP_ID": "example.org",
                "RELATED_ORIGINS": (1...6).map { "https://example\($0).com" }
                    .joined(separator: ","),
            ],
        ])
    func refused(values: [String: String]) {
        let environment = Dictionary(
            uniqueKeysWithValues: values.map { ("POSTERN_PASSKEY_\($0.key)", $0.value) })
        #expect(throws: (any Error).self) { try settings(environment) }
    }
}
