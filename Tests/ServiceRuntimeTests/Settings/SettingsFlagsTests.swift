import ServiceRuntime
import Testing

@Suite("Settings: flags are parsed strictly")
struct SettingsFlagsTests {
    @Test(
        "an unknown flag or a flag without a valid value is an error",
        arguments: [
            (["--listen-port"], "--listen-port: its value is missing"),
            (["--listen-port", "--lifeline"], "--listen-port: its value is missing"),
            (["--listen-port=1", "--listen-port=2"], "--listen-port: it is given twice"),
            (["--lifeline", "--lifeline"], "--lifeline: it is given twice"),
            (["-p", "1"], #""-p": settings are given as --name value"#),
            (["--"], #""--": there is no such setting"#),
            (
                ["--listenPort", "1"],
                #""--listenPort": there is no such setting; did you mean --listen-port?"#
            ),
            (["--zzzzzzzz=1"], #""--zzzzzzzz": there is no such setting"#),
            (
                ["--data-folder="],
                #"--data-folder: "" is not a path of 1 to 1024 bytes without control characters"#
            ),
            (
                ["--listen-port", "+1"],
                #"--listen-port: "+1" is not a whole number from 0 to 65535"#
            ),
            (
                ["--listen-port", "007"],
                #"--listen-port: "007" is not a whole number from 0 to 65535"#
            ),
            (
                ["--listen-port", "1,2"],
                #"--listen-port: "1,2" is not a whole number from 0 to 65535"#
            ),
            (
                ["--listen-port", "99999999999999999999"],
                #"--listen-port: "99999999999999999999" is not a whole number from 0 to 65535"#
            ),
            (["--lifeline=2"], #"--lifeline: "2" is not true or false"#),
            (["--lifeline", "maybe"], #"--lifeline: "maybe" is not true or false"#),
            (["--check", "maybe"], #""maybe": settings are given as --name value"#),
            (["--config"], "--config: its value is missing"),
        ] as [([String], String)])
    func problems(arguments: [String], problem: String) {
        #expect(SampleOutcome(arguments).problems.first == problem)
    }

    @Test("a boolean flag may stand alone or have a value")
    func claims() {
        #expect(SampleOutcome(["--lifeline"]).values?.isLifeline == true)
        #expect(SampleOutcome(["--lifeline", "false"]).values?.isLifeline == false)
        #expect(SampleOutcome(["--lifeline=no"]).values?.isLifeline == false)
        #expect(SampleOutcome(["--lifeline", "--listen-port", "1"]).values?.port == 1)
    }

    @Test("a value may begin with dashes or contain = or a comma")
    func odd() {
        #expect(SampleOutcome(["--data-folder=--odd"]).values?.folder == "--odd")
        #expect(SampleOutcome(["--data-folder", "a=b,c"]).values?.folder == "a=b,c")
    }

    @Test("SECURITY.md, Secrets: a secret in a flag is rejected and not printed")
    func secret() {
        for arguments in [["--mail-password", "canary"], ["--mail-password=canary"]] {
            let outcome = SampleOutcome(arguments)
            #expect(outcome.exitCode == SettingsLoader.invalidExitCode)
            #expect(outcome.problems.first?.contains("a secret is never an argument") == true)
            #expect(!outcome.text.contains("canary"))
        }
    }

    @Test("control characters in an argument do not reach the terminal")
    func terminal() {
        let outcome = SampleOutcome(["--\u{1B}[2J", "--data-folder", "\u{1B}]0;x\u{7}", "a\nb"])
        #expect(!outcome.text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" })
        #expect(outcome.problems.count == 3)
    }
}
