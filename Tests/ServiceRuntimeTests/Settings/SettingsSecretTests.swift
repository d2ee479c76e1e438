import ServiceRuntime
import TestSupport
import Testing

@Suite("SECURITY.md, Secrets: secrets come from files or the environment and are not shown")
struct SettingsSecretTests {
    private func text(_ secret: SettingSecret?) -> String? {
        secret?.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a secret is read from the environment, the settings file or its own file")
    func sources() throws {
        let folder = try TemporaryFolder()
        let secret = try folder.write("hunter2\n", to: "secret")
        let settings = try folder.write("mail-password: hunter2\n", to: "s.yaml")
        for outcome in [
            SampleOutcome([], ["POSTERN_MAIL_PASSWORD": "hunter2"]),
            SampleOutcome(["--config", settings]),
            SampleOutcome(["--mail-password-file", secret]),
            SampleOutcome([], ["POSTERN_MAIL_PASSWORD_FILE": secret]),
        ] {
            #expect(text(outcome.values?.password) == "hunter2", "\(outcome.text)")
        }
    }

    @Test("one newline at the end of a secret's file is dropped")
    func newline() throws {
        let folder = try TemporaryFolder()
        let secret = try folder.write("a\n\n", to: "secret")
        #expect(text(SampleOutcome(["--mail-password-file", secret]).values?.password) == "a\n")
    }

    @Test("an empty, missing or huge file, or two sources, are errors")
    func problems() throws {
        let folder = try TemporaryFolder()
        for contents in [
            "", "\n", String(repeating: "x", count: 65_537), String(repeating: "x", count: 100_000),
        ] {
            let file = try folder.write(contents, to: "secret")
            #expect(SampleOutcome(["--mail-password-file", file]).problems.count == 1)
        }
        #expect(SampleOutcome(["--mail-password-file", folder.file("none")]).problems.count == 1)
        let file = try folder.write("a", to: "secret")
        let both = SampleOutcome(
            ["--mail-password-file", file], ["POSTERN_MAIL_PASSWORD": "canary"])
        #expect(
            both.problems == [
                "--mail-password-file: mail-password is set directly too; set one of the two"
            ])
        let empty = SampleOutcome([], ["POSTERN_MAIL_PASSWORD": ""])
        #expect(empty.problems == ["POSTERN_MAIL_PASSWORD: the value is not 1 to 65536 bytes"])
    }

    @Test("a secret of the maximum size is accepted")
    func largest() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(String(repeating: "x", count: 65_536) + "\n", to: "secret")
        #expect(
            SampleOutcome(["--mail-password-file", file]).values?.password?.withBytes(\.count)
                == 65_536)
    }

    @Test("neither interpolation nor dump shows a secret")
    func hidden() throws {
        let secret = try #require(SampleOutcome([], ["POSTERN_MAIL_PASSWORD": "canary"]).values)
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("canary"))
        #expect(!"\(secret)".contains("canary"))
        #expect(!String(reflecting: secret).contains("canary"))
    }
}
