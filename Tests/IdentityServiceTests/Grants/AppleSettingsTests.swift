import Contracts
import Outbound
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Settings of Apple's key")
struct AppleSettingsTests {
    /// Generated only for these tests.
    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN69a41olqY7sfzK7
        H7YFy7b5BxtF9UdorUA24TH22UWhRANCAARp1dquIooJ6vA7GlIwZYm09oE6XCVH
        IAMluMe/ROBQhfyxsG8ADqPpmogZQIWU1JL0ySdJlIwNmf6BoqVwqMr9
        -----END PRIVATE KEY-----

        """
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = try folder.write(Self.pem, to: "AuthKey.p8")
    }

    private func load(_ changes: [String: String?]) -> SettingsLoader.Outcome<AppleSettings> {
        var environment = [
            "POSTERN_APPLE_KEY_FILE": file, "POSTERN_APPLE_KEY_ID": "KEYID12345",
            "POSTERN_APPLE_TEAM_ID": "TEAMID1234",
        ]
        for (name, value) in changes { environment["POSTERN_APPLE_\(name)"] = value }
        return SettingsLoader(
            program: "postern-identity", summary: "", arguments: [], environment: environment
        ).load(AppleSettings.self)
    }

    @Test("the key is optional, and Apple's own URL is the default")
    func whole() throws {
        guard case .run(let none) = load(["KEY_FILE": nil, "KEY_ID": nil, "TEAM_ID": nil]) else {
            Issue.record("the defaults are refused")
            return
        }
        #expect(none.key == nil)
        guard case .run(let settings) = load([:]) else {
            Issue.record("a whole key is refused")
            return
        }
        let key = try #require(settings.key)
        #expect(key.keyID == "KEYID12345" && key.team == "TEAMID1234")
        #expect(key.url.text == "https://appleid.apple.com")
        for place in ["http://127.0.0.1:9", "http://localhost:9", "https://proxy.example"] {
            guard case .run = load(["URL": place]) else {
                Issue.record("\(place) is refused")
                continue
            }
        }
    }

    @Test(
        "incomplete settings are refused at start, and the error does not reveal the key",
        arguments: [
            ("KEY_ID", nil), ("TEAM_ID", nil), ("KEY_ID", "short"), ("TEAM_ID", "TEAM-ID-12"),
            ("URL", "http://appleid.apple.com"), ("URL", "ftp://appleid.apple.com"),
            ("URL", "https://user@appleid.apple.com"), ("URL", "http://127.0.0.1.evil.example"),
            ("REDIRECT_URIS", "app=http://app.example/"),
        ] as [(String, String?)])
    func refused(name: String, value: String?) {
        guard case .exit(let text, let code) = load([name: value]) else {
            Issue.record("\(name) \(value ?? "") is taken")
            return
        }
        #expect(code != 0 && !text.contains("MIGHAgEA"))
    }

    @Test("G-05: redirect URIs are configured by client id")
    func redirects() throws {
        let list = "org.example.web=https://app.example/a,org.example.android=https://app.example/b"
        guard case .run(let settings) = load(["REDIRECT_URIS": list]) else {
            Issue.record("it is refused")
            return
        }
        #expect(settings.redirects.place(of: "org.example.web") == "https://app.example/a")
        #expect(settings.redirects.clients == ["org.example.web", "org.example.android"])
    }

    @Test("a file without a P-256 key is refused")
    func noKey() throws {
        let other = try folder.write("no key", to: "other.p8")
        guard case .exit(let text, let code) = load(["KEY_FILE": other]) else {
            Issue.record("it is taken")
            return
        }
        #expect(code != 0 && text.contains("P-256"))
    }
}
