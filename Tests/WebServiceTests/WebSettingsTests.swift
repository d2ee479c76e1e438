import RPC
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Settings of the web service")
struct WebSettingsTests {
    private func load(_ arguments: String...) -> SettingsLoader.Outcome<WebSettings> {
        load(arguments)
    }

    private func load(_ arguments: [String]) -> SettingsLoader.Outcome<WebSettings> {
        SettingsLoader(
            program: "postern-web", summary: "a sample.", arguments: arguments, environment: [:]
        ).load(WebSettings.self)
    }

    @Test(
        "links that lead to pages which this service does not serve are known, with pages on",
        arguments: [
            ("off", "https://a.example", "https://b.example", false),
            ("on", "", "https://b.example", false),
            ("on", "https://b.example", "https://a.example,https://b.example", false),
            ("on", "https://a.example", "https://b.example", true),
            ("on", "https://a.example:8443", "https://a.example", true),
            ("on", "http://localhost:7480", "", false), ("on", "https://a.example", "", true),
            ("on", "no origin", "https://b.example", false),
        ])
    func unservedLinks(pages: String, origin: String, origins: String, isUnserved: Bool) {
        let link = origin.isEmpty ? [] : ["--link-origin=\(origin)"]
        let outcome = load(["--pages=\(pages)", "--web-origins=\(origins)"] + link)
        guard case .run(let settings) = outcome else {
            Issue.record("it was refused: \(outcome)")
            return
        }
        #expect(settings.pages.hasUnservedLinks(settings.callers.webOrigins) == isUnserved)
    }

    @Test("PROXY protocol can be required of trusted proxies only")
    func proxyProtocol() {
        guard case .exit(let text, exitCode: 78) = load("--proxy-protocol=required") else {
            Issue.record("it was accepted")
            return
        }
        #expect(text.contains("PROXY protocol can only be required of trusted proxies"))
        guard
            case .run(let settings) = load(
                "--proxy-protocol=required", "--trusted-proxies=10.0.0.0/8")
        else {
            Issue.record("it was refused")
            return
        }
        let listener = settings.listener(
            host: "127.0.0.1", port: 0, isPlaintextTrusted: false, .init())
        #expect(listener.requiresProxyProtocol)
        #expect(listener.trustedProxies.count == 1)
        #expect(listener.origins == [])
    }
}
