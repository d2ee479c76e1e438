import RPC
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Settings of the web service")
struct WebSettingsTests {
    private func load(_ arguments: String...) -> SettingsLoader.Outcome<WebSettings> {
        SettingsLoader(
            program: "postern-web", summary: "a sample.", arguments: arguments, environment: [:]
        ).load(WebSettings.self)
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
