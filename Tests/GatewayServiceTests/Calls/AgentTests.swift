import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService

@Suite("G-22: the agent of a call, of its user agent")
struct AgentTests {
    private static let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)"
    private static let windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(webkit)"
    private static let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(webkit)"
    private static let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) \(webkit)"
    private static let android = "Mozilla/5.0 (Linux; Android 14) \(webkit)"

    /// User agents with what becomes of them.
    private static let examples: [(String, String)] = [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0",
            "firefox 131, linux"
        ),
        ("\(windows) Chrome/129.0.0.0 Safari/537.36", "chrome 129, windows"),
        ("\(windows) Chrome/129.0 Safari/537.36 Edg/129.0", "edge 129, windows"),
        ("\(mac) Version/18.0 Safari/605", "safari 18, macos"),
        ("\(phone) Version/18.0 Mobile/15E148 Safari/604.1", "safari 18, ios"),
        ("\(phone) CriOS/130.0 Mobile", "chrome 130, ios"),
        ("\(android) SamsungBrowser/26.0 Chrome/122.0", "samsung-internet 26, android"),
        ("Mozilla/5.0 (X11; CrOS x86_64 1) \(webkit) Chrome/129.0", "chrome 129, chromeos"),
        ("okhttp/4.12.0", "okhttp 4, other"),
        ("curl/7.88.1", "curl 7, other"),
        ("Shop/1 CFNetwork/1410.0.3 Darwin/22.6.0", "cfnetwork 1410, other"),
    ]

    @Test(
        "a browser and its system are words of the tables, with the first number of the version",
        arguments: examples)
    func known(userAgent: String, agent: String) {
        #expect(Agent(userAgent: userAgent)?.text == agent)
    }

    @Test(
        "nothing else of it is left: no text of a stranger, no long number",
        arguments: [
            ("canary-7Q9", "other, other"), ("<script>Linux", "other, linux"),
            ("Firefox/canary", "firefox, other"), ("Firefox/", "firefox, other"),
            ("Firefox/12345", "firefox, other"), ("Firefox/1234", "firefox 1234, other"),
            ("Firefox/131\u{0}canary Android", "firefox 131, android"),
            ("\u{202e}Firefox/\u{0661}", "firefox, other"),
            ("\(String(repeating: "x", count: 512))Firefox/131 Linux", "other, other"),
        ])
    func strange(userAgent: String, agent: String) {
        #expect(Agent(userAgent: userAgent)?.text == agent)
    }

    @Test("without a user agent there is none")
    func none() {
        #expect(Agent(userAgent: "") == nil)
    }

    @Test("there are 15 families and 8 systems, and each text of them is believed by the owners")
    func tables() {
        #expect(Agent.families.count == 15 && Agent.systems.count == 8)
        for (family, marks) in Agent.families {
            for (system, others) in Agent.systems {
                let agent = Agent(userAgent: "\(others[0]) \(marks[0])9999")
                #expect(agent?.text == "\(family) 9999, \(system)")
                var metadata = Metadata()
                metadata[Metadata.Key.agent] = agent?.text
                #expect(metadata.agent == agent?.text)
            }
        }
    }

    @Test("N-01: mails spell each program and system as people do, but for what apps are made with")
    func spellings() {
        let families = Agent.families.map { family, _ in
            DeviceWords.words(name: "", agent: "\(family) 9999, other", platform: "")
        }
        let known = [
            "Edge", "Opera", "Samsung Internet", "Vivaldi", "Yandex", "UC Browser", "DuckDuckGo",
            "Firefox", "", "Chrome", "Safari", "", "", "", "",
        ]
        #expect(families == known.map { $0.isEmpty ? "" : "\($0) 9999" })
        let systems = Agent.systems.map { system, _ in
            DeviceWords.words(name: "", agent: "\(Agent.other), \(system)", platform: "")
        }
        #expect(
            systems == [
                "iOS", "HarmonyOS", "Android", "Windows", "ChromeOS", "macOS", "Linux", "FreeBSD",
            ])
    }

    @Test("any bytes give words of the tables")
    func fuzz() {
        let randomness = SeededRandomness(seed: 5)
        for _ in 0..<2_000 {
            let text = String(decoding: randomness.bytes(40), as: UTF8.self)
            let agent = Agent(userAgent: "Chrome/" + text)?.text ?? ""
            #expect(agent.hasPrefix("chrome"))
            var metadata = Metadata()
            metadata[Metadata.Key.agent] = agent
            #expect(metadata.agent == agent)
        }
    }
}
