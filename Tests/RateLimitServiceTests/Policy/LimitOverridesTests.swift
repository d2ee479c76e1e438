import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: an operator's file changes limits")
struct LimitOverridesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ text: String, _ name: String = "limits.yaml") throws
        -> SettingsDocument<LimitOverrides>
    {
        SettingsDocument(path: try folder.write(text, to: name))
    }

    @Test("R-06: an empty file leaves the standard limits")
    func empty() throws {
        #expect(try read("# nothing\n").values?.policies == .standard)
        #expect(try read("{}", "limits.json").values?.policies == .standard)
    }

    private static let yaml = """
        failed-sign-in-by-account:
          count: 10
          window: 30m
        failed-provider-*:
          shadow: true
        phone-code-request:
          delays: [0s, 2m, 10m]
          per-day: 5
        phone-code-guess-attempts: 3
        sign-up*count: 7
        sign-up-by-address-count: 4
        """
    private static let json = """
        {"failed-sign-in-by-account": {"count": 10, "window": "30m"},
         "failed-provider-*": {"shadow": true},
         "phone-code-request": {"delays": ["0s", "2m", "10m"], "per-day": 5},
         "phone-code-guess-attempts": 3, "sign-up*count": 7, "sign-up-by-address-count": 4}
        """

    @Test("R-06: numbers, waits and shadow mode by name and by pattern; the closer name wins")
    func given() throws {
        for (text, name) in [(Self.yaml, "limits.yaml"), (Self.json, "limits.json")] {
            let document = try read(text, name)
            #expect(document.problems == [])
            let policies = try #require(document.values).policies
            #expect(
                policies[.failedSignInByAccount].rule
                    == .slidingWindow(count: 10, window: .seconds(1_800)))
            #expect(policies[.failedProviderByDevice].isShadow)
            #expect(policies[.failedProviderByAddress].isShadow)
            #expect(!policies[.failedSignInByDevice].isShadow)
            #expect(
                policies[.phoneCodeRequest].rule
                    == .escalatingDelay(
                        delays: [.zero, .seconds(120), .seconds(600)], quiet: .seconds(86_400),
                        perDay: 5))
            #expect(
                policies[.phoneCodeGuess].rule
                    == .lockout(attempts: 3, lockedFor: .seconds(900), failuresMax: 100))
            #expect(
                policies[.signUpByAddress].rule == .slidingWindow(count: 4, window: .seconds(3_600))
            )
            #expect(
                policies[.signUpOnTakenEmail].rule
                    == .slidingWindow(count: 7, window: .seconds(3_600)))
            #expect(
                policies[.failedSignInByDevice] == LimitPolicies.standard[.failedSignInByDevice])
        }
    }

    @Test("R-06: all errors are reported at once, each with its line")
    func errors() throws {
        let document = try read(
            """
            failed-sign-in-by-acount-count: 3
            failed-sign-in-by-address-count: 65
            failed-sign-in-by-device-count: 0
            phone-code-request-delays: 1,2,3,4,5,6,7,8,9
            phone-code-guess-attempts: 50
            phone-code-guess-failures-max: 40
            nothing-*-count: 3
            sign-up-by-address-shadow: perhaps
            """)
        #expect(document.values == nil)
        #expect(document.problems.count == 7)
        for (line, word) in [
            (1, "did you mean failed-sign-in-by-account-count?"), (2, "from 1 to 64"),
            (3, "from 1 to 64"), (4, "1 to 8 durations"), (7, "there is no such setting"),
            (8, "true or false"),
        ] {
            #expect(
                document.problems.contains { $0.contains("line \(line)") && $0.contains(word) },
                "line \(line): \(document.problems)")
        }
        #expect(document.problems.contains { $0.contains("more attempts than failures") })
    }

    @Test(
        "R-06: an invalid limits file is reported and causes no trap",
        arguments: [
            ("[]", "limits.json"), ("{", "limits.json"), ("*: 3", "limits.yaml"),
            ("*-shadow: true", "limits.yaml"), ("\u{0}", "limits.yaml"), ("", "limits.txt"),
            ("{\"*\": 3}", "limits.json"), ("{\"**-count\": {\"a\": 3}}", "limits.json"),
        ])
    func hostile(text: String, name: String) throws {
        let document = try read(text, name)
        #expect(document.values == nil)
        #expect(!document.problems.isEmpty)
    }

    @Test("R-06: a missing file is an error, not an empty one")
    func absent() {
        let document = SettingsDocument<LimitOverrides>(path: folder.file("none.yaml"))
        #expect(document.values == nil)
        #expect(document.problems.count == 1)
    }

    @Test("R-06: the program does not start with an invalid file and reports all errors")
    func atStart() throws {
        let path = try folder.write(
            "sign-up-by-address-count: 0\nsign-up-on-taken-email-count: 0\n", to: "limits.yaml")
        let loader = SettingsLoader(
            program: "test", summary: "", arguments: ["--limits-file=\(path)"], environment: [:])
        guard case .exit(let said, exitCode: 78) = loader.load(RateLimitSettings.self) else {
            Issue.record("the program started")
            return
        }
        #expect(said.contains("line 1") && said.contains("line 2"), "\(said)")
    }

    @Test(
        "R-06: the limiter's records of devices cannot be changed by an operator",
        arguments: ["known-device-count: 2", "new-device-by-account-shadow: true"])
    func devices(text: String) throws {
        #expect(try read(text).values == nil)
        let pattern = try read("{\"*-device-shadow\": true}", "limits.json")
        let policies = try #require(pattern.values).policies
        for limit in [LimitName.knownDevice, .newDeviceByAccount] {
            #expect(policies[limit] == LimitPolicies.standard[limit])
        }
        #expect(policies[.failedSignInByKnownDevice].isShadow)
    }

    @Test("R-06: errors are in the order of lines; a duplicate names its first line")
    func ordered() throws {
        let document = try read(
            """
            sign-up-by-address-window: 15 min
            sign-up-by-adress-count: 4
            failed-sign-in-by-account:
              count: 3
            failed-sign-in-by-account-count: 100
            failed-provider-*:
              cuont: 3
              shadow: &a true
            """)
        let lines = document.problems.compactMap { $0.split(separator: " line ").dropFirst().first }
        #expect(lines.map { $0.prefix(1) } == ["1", "2", "5", "5", "7", "8"])
        #expect(document.problems.contains { $0.contains("is given twice, first in line 4") })
    }

    /// All settings, as the tool prints them.
    private static var lines: [String] {
        LimitName.allCases.filter(\.isOperators).flatMap {
            LimitPolicies.standard[$0].settings($0)
        }
    }

    @Test("R-06: settings keep their names, which files of operators have")
    func names() throws {
        let names = Self.lines.map { line in "limits-file \(line.prefix { $0 != ":" })" }
        let list = try UnchangedList("settings")
        #expect(list.lost(in: names, about: "limits-file ") == [])
    }

    @Test("R-06: the tool's list of all settings is a file that changes nothing")
    func printed() throws {
        let lines = Self.lines
        let document = try read(lines.joined(separator: "\n"))
        #expect(document.problems.isEmpty, "\(document.problems)")
        #expect(document.values?.policies == .standard)
        #expect(lines.contains("phone-code-request-delays: [0s, 1m, 5m, 15m, 30m]"))
    }

    @Test("R-06: all values that an operator may set give a valid rule")
    func bounds() throws {
        for count in ["1", "64"] {
            let document = try read("failed-*-count: \(count)\nfailed-*-window: 40d\n")
            let policies = try #require(document.values).policies
            for limit in LimitName.allCases { #expect(policies[limit].rule.flaw == nil) }
        }
    }
}
