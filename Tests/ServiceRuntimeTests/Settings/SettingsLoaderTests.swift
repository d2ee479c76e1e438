import ServiceRuntime
import TestSupport
import Testing

@Suite("Settings: from defaults, file, environment and flags")
struct SettingsLoaderTests {
    @Test("without any input all settings have their defaults")
    func defaults() throws {
        let values = try #require(SampleOutcome().values)
        #expect(values.port == 7402)
        #expect(values.idle == .seconds(30 * 86_400))
        #expect(!values.isLifeline)
        #expect(values.mode == .friendly)
        #expect(values.folder == ".postern")
        #expect(values.chain == nil)
        #expect(values.origins == [])
        #expect(values.peers.map(\.description) == ["127.0.0.1:7401"])
        #expect(values.password == nil)
    }

    @Test("a flag overrides the environment, which overrides the file, which overrides defaults")
    func precedence() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "listen-port: 1\nidle-timeout: 1h\nenumeration: strict\n", to: "s.yaml")
        let environment = ["POSTERN_LISTEN_PORT": "2", "POSTERN_IDLE_TIMEOUT": "2h"]
        let values = try #require(
            SampleOutcome(["--config", file, "--listen-port", "3"], environment).values)
        #expect(values.port == 3)
        #expect(values.idle == .seconds(7_200))
        #expect(values.mode == .strict)
    }

    @Test("a variable of this program wins over the one for all, and is no other program's")
    func ownVariable() throws {
        let environment = [
            "POSTERN_LISTEN_PORT": "2", "POSTERN_SAMPLE_LISTEN_PORT": "3",
            "POSTERN_WEB_IDLE_TIMEOUT": "2h", "POSTERN_SAMPLE_MAIL_PASSWORD": "Canary7Horse",
        ]
        let values = try #require(SampleOutcome([], environment).values)
        #expect(values.port == 3)
        #expect(values.idle == .seconds(30 * 86_400))
        #expect(values.password != nil)
        #expect(try #require(SampleOutcome(["--listen-port", "4"], environment).values).port == 4)
        let wrong = SampleOutcome([], ["POSTERN_SAMPLE_LISTEN_PORT": "x"])
        #expect(
            wrong.problems == [
                #"POSTERN_SAMPLE_LISTEN_PORT: "x" is not a whole number from 0 to 65535"#
            ])
        let check = SampleOutcome(["--check"], environment)
        #expect(check.text.contains("POSTERN_SAMPLE_LISTEN_PORT"))
        #expect(!check.text.contains("Canary7Horse"))
        #expect(check.text.contains("POSTERN_WEB_IDLE_TIMEOUT is set, and no setting of this"))
        #expect(!check.text.contains("POSTERN_SAMPLE_LISTEN_PORT is set"))
        let own = SettingVariable.own("POSTERN_X", of: "postern-rate-limit")
        #expect(own == "POSTERN_RATE_LIMIT_X")
    }

    @Test("every kind of setting can be given in every source")
    func places() throws {
        let folder = try TemporaryFolder()
        let yaml = try folder.write(
            """
            listen-port: 9
            idle-timeout: 90s
            lifeline: yes
            enumeration: strict
            data-folder: "/var/lib/postern"   # quoted
            tls-chain: /etc/chain.pem
            link-origins: [https://a.example, 'https://b.example']
            identity-addresses:
              - 10.0.0.1:7401
              - "[::1]:7401"
            """, to: "s.yaml")
        let json = try folder.write(
            #"""
            {"listen-port": 9, "idle-timeout": "90s", "lifeline": true, "enumeration": "strict",
             "data-folder": "/var/lib/postern", "tls-chain": "/etc/chain.pem",
             "link-origins": ["https://a.example", "https://b.example"],
             "identity-addresses": ["10.0.0.1:7401", "[::1]:7401"]}
            """#, to: "s.json")
        let environment = [
            "POSTERN_LISTEN_PORT": "9", "POSTERN_IDLE_TIMEOUT": "90s", "POSTERN_LIFELINE": "on",
            "POSTERN_ENUMERATION": "strict", "POSTERN_DATA_FOLDER": "/var/lib/postern",
            "POSTERN_TLS_CHAIN": "/etc/chain.pem",
            "POSTERN_LINK_ORIGINS": "https://a.example, https://b.example",
            "POSTERN_IDENTITY_ADDRESSES": "10.0.0.1:7401,[::1]:7401",
        ]
        let flags = [
            "--listen-port", "9", "--idle-timeout=90000", "--lifeline", "--enumeration", "strict",
            "--data-folder=/var/lib/postern", "--tls-chain", "/etc/chain.pem",
            "--link-origins", "https://a.example", "--link-origins", "https://b.example",
            "--identity-addresses", "10.0.0.1:7401,[::1]:7401",
        ]
        for outcome in [
            SampleOutcome(["--config", yaml]), SampleOutcome(["--config", json]),
            SampleOutcome([], environment), SampleOutcome(flags),
        ] {
            let values = try #require(outcome.values, "\(outcome.text)")
            #expect(values.port == 9)
            #expect(values.idle == .seconds(90))
            #expect(values.isLifeline)
            #expect(values.mode == .strict)
            #expect(values.folder == "/var/lib/postern")
            #expect(values.chain == "/etc/chain.pem")
            #expect(values.origins == ["https://a.example", "https://b.example"])
            #expect(values.peers.map(\.description) == ["10.0.0.1:7401", "[::1]:7401"])
        }
    }

    @Test("all errors are reported at once, each with its source")
    func problems() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "listen-port: 65536\nenumration: strict\nlifeline: maybe\n", to: "s.yaml")
        let outcome = SampleOutcome(
            ["--config", file, "--idle-timout", "5", "--enumeration", "strikt", "stray"],
            ["POSTERN_IDLE_TIMEOUT": "1 hour"])
        #expect(outcome.exitCode == SettingsLoader.invalidExitCode)
        #expect(outcome.text.hasPrefix("postern-sample: 7 mistakes in its settings"))
        #expect(
            Set(outcome.problems) == [
                #""--idle-timout": there is no such setting; did you mean --idle-timeout?"#,
                #""stray": settings are given as --name value"#,
                "\(file) line 2 \"enumration\": there is no such setting; did you mean enumeration?",
                "\(file) line 1: \"65536\" is not a whole number from 0 to 65535",
                #"POSTERN_IDLE_TIMEOUT: "1 hour" is not a duration from 1m to 365d, such as "#
                    + "250ms, 10s, 15m or 30d",
                "\(file) line 3: \"maybe\" is not true or false",
                #"--enumeration: "strikt" is not one of friendly, strict"#,
            ])
    }

    @Test("a rule between settings is checked unless one of them is already invalid")
    func rules() {
        #expect(
            SampleOutcome(["--listen-port", "7400"]).problems == [
                "listen-port, listen: two listeners cannot share a port"
            ])
        #expect(
            SampleOutcome(["--listen", "nowhere", "--listen-port", "7400"]).problems == [
                #"--listen: "nowhere" is not host:port"#
            ])
    }

    @Test("--check prints the settings in use and their sources")
    func check() throws {
        let outcome = SampleOutcome(
            ["--check", "--listen-port", "9"],
            [
                "POSTERN_ENUMERATION": "strict", "POSTERN_MAIL_PASSWORD": "canary-hunter2",
                "POSTERN_ENUMERATOIN": "x", "POSTERN_OF_ANOTHER_PROGRAM": "x",
            ])
        #expect(outcome.exitCode == 0)
        let lines = outcome.text.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(lines.contains("listen-port 9 --listen-port"))
        #expect(lines.contains("enumeration strict POSTERN_ENUMERATION"))
        #expect(lines.contains("idle-timeout 30d default"))
        #expect(lines.contains("mail-password (secret) POSTERN_MAIL_PASSWORD"))
        #expect(
            lines.contains(
                "POSTERN_ENUMERATOIN is set, and no setting of this program; did you mean "
                    + "POSTERN_ENUMERATION?"))
        #expect(lines.contains("POSTERN_OF_ANOTHER_PROGRAM is set, and no setting of this program"))
        #expect(!outcome.text.contains("canary"))
    }

    @Test("--check finds all paths that cannot be used, and a start reads none of them")
    func checkFiles() throws {
        let folder = try TemporaryFolder()
        let (there, missing) = (try folder.write("x", to: "a.pem"), folder.file("none.pem"))
        let data = folder.file("none/data")
        let outcome = SampleOutcome(["--check", "--tls-chain", missing, "--data-folder", data])
        #expect(outcome.exitCode == SettingsLoader.invalidExitCode)
        #expect(
            outcome.problems == [
                "data-folder: \(data): the folder cannot be made: No such file or directory",
                "tls-chain: \(missing): the file cannot be read: No such file or directory",
            ])
        let readable = SampleOutcome(["--check", "--tls-chain", there])
        #expect(readable.exitCode == 0 && !readable.text.contains("cannot be read"))
        #expect(SampleOutcome(["--tls-chain", missing]).values?.chain == missing)
        // The data folder is made at the start.
        #expect(SampleOutcome(["--check"]).exitCode == 0)
        #expect(SampleOutcome(["--check", "--data-folder", folder.file("data")]).exitCode == 0)
    }

    @Test("--check reports errors as a start does")
    func checkProblems() {
        let outcome = SampleOutcome(["--check", "--listen-port", "x"])
        #expect(outcome.exitCode == SettingsLoader.invalidExitCode)
    }

    @Test("--version prints the program's name and version, whatever the other arguments")
    func version() {
        let outcome = SampleOutcome(["--version", "--nonsense"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.text == "postern-sample \(ProductVersion.text)\n")
    }

    @Test("--help lists every setting with default and reason, whatever the other arguments")
    func help() {
        let outcome = SampleOutcome(["--help", "--nonsense"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.text.contains("postern-sample: a sample."))
        #expect(outcome.text.contains("--listen-port port"))
        #expect(outcome.text.contains("a whole number from 0 to 65535; default: 7402."))
        #expect(outcome.text.contains("POSTERN_MAIL_PASSWORD (never a flag)"))
        #expect(outcome.text.contains("--mail-password-file path"))
        for name in ["idle-timeout", "lifeline", "enumeration", "link-origins", "tls-chain"] {
            #expect(outcome.text.contains("--\(name) "))
        }
    }

    @Test("--help has the reasons without the ids of requirements, which operators do not know")
    func idsOfRequirements() {
        let text = SampleOutcome(["--help"]).text
        #expect(text.contains("An unused session ends.\n"))
        #expect(text.contains("Whether sign-ups tell: ask.\n"))
        #expect(text.firstMatch(of: /[A-Z]-[0-9]{2}/) == nil)
    }
}
