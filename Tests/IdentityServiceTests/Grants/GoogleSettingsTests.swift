import Contracts
import Cryptography
import Outbound
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Settings of Google's grants")
struct GoogleSettingsTests {
    private func load(_ changes: [String: String]) -> SettingsLoader.Outcome<GoogleSettings> {
        let environment = Dictionary(
            uniqueKeysWithValues: changes.map { ("POSTERN_GOOGLE_\($0.key)", $0.value) })
        return SettingsLoader(
            program: "postern-identity", summary: "", arguments: [], environment: environment
        ).load(GoogleSettings.self)
    }

    @Test("secrets are optional, and Google's own URLs are the default")
    func standard() {
        guard case .run(let none) = load([:]) else {
            Issue.record("the defaults are refused")
            return
        }
        #expect(none.secrets == .none && none.redirects == .none)
        #expect(none.tokenURL.text == "https://oauth2.googleapis.com/token")
        #expect(none.revokeURL.text == "https://oauth2.googleapis.com/revoke")
    }

    @Test("G-04: a file has a secret for each client id, and one newline or none at the end")
    func file() throws {
        let folder = try TemporaryFolder()
        for text in ["a.example=s1\n\nb.example=s=2\n", "a.example=s1\nb.example=s=2"] {
            let file = try folder.write(text, to: "secrets")
            guard case .run(let settings) = load(["CLIENT_SECRETS_FILE": file]) else {
                Issue.record("it is refused: \(text)")
                continue
            }
            #expect(settings.secrets.clients == ["a.example", "b.example"])
            #expect(settings.secrets.of("a.example") == SecretBytes("s1"))
            #expect(settings.secrets.of("b.example") == SecretBytes("s=2"))
            #expect(settings.secrets.of("c.example") == nil)
        }
    }

    @Test(
        "G-04: invalid settings are refused at start, and the error does not reveal a secret",
        arguments: [
            ("CLIENT_SECRETS", "canary"), ("CLIENT_SECRETS", "=canary"),
            ("CLIENT_SECRETS", "a.example="), ("CLIENT_SECRETS", "a.example=can ary"),
            ("CLIENT_SECRETS", "a.example=canary\r\n"), ("CLIENT_SECRETS", "\n"),
            ("CLIENT_SECRETS", "a.example=canary\na.example=canary"),
            ("REDIRECT_URIS", "app=http://app.example/"), ("REDIRECT_URIS", "app=popup"),
            ("TOKEN_URL", "http://oauth2.googleapis.com/token"),
            ("REVOKE_URL", "ftp://oauth2.googleapis.com/revoke"),
        ])
    func refused(name: String, value: String) {
        guard case .exit(let text, let code) = load([name: value]) else {
            Issue.record("\(name) \(value) is taken")
            return
        }
        #expect(code != 0 && !text.contains("canary"))
    }

    @Test("G-04: redirect URIs are configured by client id, also for Google's popup")
    func redirects() {
        let list = "a.example=https://app.example/a,b.example=postmessage"
        guard case .run(let settings) = load(["REDIRECT_URIS": list]) else {
            Issue.record("it is refused")
            return
        }
        #expect(settings.redirects.place(of: "a.example") == "https://app.example/a")
        #expect(settings.redirects.place(of: "b.example") == "postmessage")
    }

    @Test("secrets and redirect URIs are of apps that may sign in")
    func unknownApps() {
        let environment = ["POSTERN_GOOGLE_AUDIENCES": "a.example"]
        for (name, value) in [
            ("POSTERN_GOOGLE_CLIENT_SECRETS", "b.example=s"),
            ("POSTERN_GOOGLE_REDIRECT_URIS", "b.example=postmessage"),
        ] {
            let loader = SettingsLoader(
                program: "postern-identity", summary: "", arguments: [],
                environment: environment.merging([name: value]) { $1 })
            guard case .exit(let text, _) = loader.load(IdentitySettings.self) else {
                Issue.record("\(name) is taken")
                continue
            }
            #expect(text.contains("google-audiences lacks"))
        }
    }
}
