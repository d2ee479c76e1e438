import Foundation
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Settings of the programs")
    struct SettingsOfPrograms {
        @Test("--help lists every setting with its default", arguments: BuiltPrograms.services)
        func help(service: String) async throws {
            let run = try await ProgramRun.run("postern-\(service)", ["--help"])
            #expect(run.exitCode == 0)
            for name in ["--listen-port", "--data-folder", "--check", "default: 127.0.0.1"] {
                #expect(run.output.contains(name))
            }
        }

        @Test(
            "--help names no requirement of the sources",
            arguments: BuiltPrograms.services + ["web"])
        func idsOfRequirements(service: String) async throws {
            let run = try await ProgramRun.run("postern-\(service)", ["--help"])
            #expect(run.exitCode == 0)
            let ids = run.output.matches(of: /\b[A-Z]-[0-9]{2}\b/).map { String($0.0) }
            #expect(ids == [])
        }

        @Test("settings keep their names", arguments: BuiltPrograms.services + ["web"])
        func names(service: String) async throws {
            let run = try await ProgramRun.run("postern-\(service)", ["--help"])
            // Of a secret it has the variable.
            let entries = run.output.matches(of: /\n  (?:--|POSTERN_)([A-Za-z0-9_-]+)(?= )/)
            let names = entries.map { $0.1.lowercased().replacing("_", with: "-") }
            let settings = names.map { "\(service) \($0)" }
            let list = try UnchangedList("settings")
            #expect(list.lost(in: settings, about: "\(service) ") == [])
        }

        @Test("no setting's variable for one program is that of another setting")
        func variables() async throws {
            var shared: Set<String> = []
            var own: Set<String> = []
            for service in BuiltPrograms.services + ["web"] {
                let run = try await ProgramRun.run("postern-\(service)", ["--help"])
                for entry in run.output.matches(of: /\n  (?:--|POSTERN_)([A-Za-z0-9_-]+)(?= )/) {
                    let setting = entry.1.lowercased().replacing("_", with: "-")
                    shared.insert(SettingVariable.shared(setting))
                    own.insert(
                        SettingVariable.own(SettingVariable.shared(setting), of: service))
                }
            }
            #expect(own.count > 200)
            #expect(own.intersection(shared) == [])
        }

        @Test("the tool's --help lists its commands")
        func toolHelp() async throws {
            let run = try await ProgramRun.run("postern", ["--help"])
            #expect(run.exitCode == 0)
            for name in ["up", "call", "inbox", "status"] { #expect(run.output.contains(name)) }
        }

        @Test("Secrets: --check prints each setting and its origin, but no secret")
        func check() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(
                """
                smtp-host: mail.example.org
                sender-address: auth@example.org
                smtp-user: ada
                smtp-password: Canary7Horse
                """,
                to: "settings.yaml")
            let run = try await ProgramRun.run(
                "postern-notification", ["--config", file, "--listen-port", "7999", "--check"])
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(run.output.contains("mail.example.org"))
            #expect(run.output.contains("7999"))
            #expect(!(run.output + run.errors).contains("Canary7Horse"))
        }

        @Test("all invalid settings are reported at once, and the exit code is 78")
        func problems() async throws {
            let run = try await ProgramRun.run(
                "postern-session",
                ["--listen-port", "99999", "--event-loops", "none", "--horse", "1"])
            #expect(run.exitCode == 78)
            for name in ["--listen-port", "--event-loops", "--horse"] {
                #expect(run.errors.contains(name))
            }
        }

        @Test(
            "mails into a folder and links to this machine are warned of, but not by postern up",
            arguments: [
                ("identity", "identity.links.loopback", "link-origin"),
                ("notification", "notification.mail.folder", "smtp-host"),
            ])
        func development(service: String, event: String, setting: String) async throws {
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { _ in }
            let data = folder.file("data")
            let log = try String(
                contentsOfFile: "\(data)/logs/postern-\(service).log", encoding: .utf8)
            #expect(!log.contains(event))
            // An address of no machine (RFC 5737), so that the program ends when it listens.
            let run = try await ProgramRun.run(
                "postern-\(service)",
                [
                    "--listen-host", "192.0.2.1", "--plaintext", "trusted-network",
                    "--data-folder", "\(data)/data", "--keys-folder", "\(data)/keys",
                    "--applications-folder", "\(data)/keys/\(service)",
                    "--metrics-port", "0",
                ])
            #expect(run.exitCode != 0)
            let warning = run.errors.split(separator: "\n").first { $0.contains(event) }
            #expect(warning?.contains(setting) == true, "\(run.errors)")
        }

        @Test("--check finds an address beyond loopback without TLS, and a wrong account-admins")
        func checks() async throws {
            for (service, setting, said) in [
                ("session", ["--listen-host", "0.0.0.0"], "trusted-network"),
                ("identity", ["--account-admins", "support"], "only gateway"),
            ] {
                let run = try await ProgramRun.run("postern-\(service)", setting + ["--check"])
                #expect(run.exitCode == 78 && run.errors.contains(said), "\(run.errors)")
            }
        }

        @Test("the tool rejects invalid arguments")
        func toolProblems() async throws {
            for arguments in [
                ["up", "--port-base", "99999"], ["call"], ["call", "a/b", "{}", "--timeout", "0"],
                ["horse"],
            ] {
                let run = try await ProgramRun.run("postern", arguments)
                #expect(run.exitCode == 64, "\(arguments)")
                #expect(!run.errors.isEmpty)
            }
        }
    }
}
