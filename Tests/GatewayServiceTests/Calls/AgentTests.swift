import RPC
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-22: the agent of a call, of its user agent")
struct AgentTests {
    private static let mozilla = "Mozilla/5.0"
    private static let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)"

    @Test(
        "a browser and its system are words of the tables, with the first number of the version",
        arguments: [
            (
                "\(mozilla) (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0",
                "firefox 131, linux"
            ),
            (
                "\(mozilla) (Windows NT 10.0; Win64; x64) \(webkit) Chrome/129.0.0.0 Safari/537.36",
                "chrome 129, windows"
            ),
            (
                "\(mozilla) (Windows NT 10.0) \(webkit) Chrome/129.0 Safari/537.36 Edg/129.0",
                "edge 129, windows"
            ),
            (
                "\(mozilla) (Macintosh; Intel Mac OS X 10_15_7) \(webkit) Version/18.0 Safari/605",
                "safari 18, macos"
            ),
            (
                "\(mozilla) (iPhone; CPU iPhone OS 18_0 like Mac OS X) \(webkit) Version/18.0 "
                    + "Mobile/15E148 Safari/604.1", "safari 18, ios"
            ),
            (
                "\(mozilla) (iPhone; CPU iPhone OS 17_7 like Mac OS X) \(webkit) CriOS/130.0 "
                    + "Mobile", "chrome 130, ios"
            ),
            (
                "\(mozilla) (Linux; Android 14) \(webkit) SamsungBrowser/26.0 Chrome/122.0",
                "samsung-internet 26, android"
            ),
            ("\(mozilla) (X11; CrOS x86_64 1) \(webkit) Chrome/129.0", "chrome 129, chromeos"),
            ("okhttp/4.12.0", "okhttp 4, other"),
            ("curl/7.88.1", "curl 7, other"),
            ("Shop/1 CFNetwork/1410.0.3 Darwin/22.6.0", "cfnetwork 1410, other"),
        ])
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
            (String(repeating: "x", count: 512) + "Firefox/131 Linux", "other, other"),
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
