import Addresses
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("Settings of who may call the web service")
struct WebCallerSettingsTests {
    private func load(_ arguments: [String]) -> SettingsLoader.Outcome<WebCallerSettings> {
        SettingsLoader(
            program: "postern-web", summary: "", arguments: arguments, environment: [:]
        ).load(WebCallerSettings.self)
    }

    private func values(_ arguments: [String]) -> WebCallerSettings? {
        if case .run(let values) = load(arguments) { values } else { nil }
    }

    @Test("without settings no app and no proxy, at localhost")
    func standard() throws {
        let settings = try #require(values([]))
        #expect(settings.appsFile == nil)
        #expect(settings.apps == nil)
        #expect(settings.trustedProxies == [])
        #expect(settings.webOrigins == [])
    }

    @Test("all settings")
    func given() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "shop:\n  key: pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f\n  platforms: [ios]\n",
            to: "apps.yaml")
        let settings = try #require(
            values([
                "--apps-file", path, "--trusted-proxies", "10.0.0.0/8,2001:db8::1",
                "--web-origins", "https://auth.example.org",
            ]))
        #expect(settings.apps?.values?.all.map(\.name) == ["shop"])
        #expect(settings.webOrigins.map(\.description) == ["https://auth.example.org"])
        let proxy = try #require(ClientAddress("10.1.2.3"))
        #expect(settings.trustedProxies.contains { $0.contains(proxy) })
    }

    @Test(
        "mistakes stop the program",
        arguments: [
            ["--trusted-proxies", "0.0.0.0/0"], ["--trusted-proxies", "::/00"],
            ["--trusted-proxies", "10.0.0.1/8"], ["--trusted-proxies", "proxy.example.org"],
            ["--web-origins", "https://auth.example.org/"], ["--web-origins", "*"],
            ["--apps-file", "/nowhere/apps.yaml"],
        ])
    func mistakes(_ arguments: [String]) {
        #expect(values(arguments) == nil)
    }
}
