import Foundation
import Glibc
import TestSupport
import Testing

extension SystemTests {
    /// The files in `Former` were written by the tool of an earlier version, which encrypted by
    /// itself. Their rate limiter's store is whole; the others are a line each, to keep them small.
    @Suite("Backups that an earlier version has encrypted")
    struct FormerBackups {
        private static let folder = URL(filePath: #filePath)
            .deletingLastPathComponent().appending(path: "Former").path
        private static let restored = [
            "ratelimit-devices.log.0", "ratelimit.log.0", "ratelimit.sqlite",
        ]

        private let home: TemporaryFolder

        init() throws { home = try TemporaryFolder() }

        private func restoring(_ file: String) -> [String] {
            [
                "restore", "--from", "\(Self.folder)/\(file)", "--data", home.file("data"),
                "--only", "rate-limit",
            ]
        }

        /// The line of the shell that restores the backup to a passphrase.
        private var askingLine: String {
            ([BuiltPrograms.path("postern")] + restoring("to-passphrase.age"))
                .map { "'\($0)'" }.joined(separator: " ")
        }

        private func passphrase() throws -> String {
            try String(contentsOfFile: "\(Self.folder)/passphrase.txt", encoding: .utf8)
        }

        private func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: home.file("data")).sorted()
        }

        @Test("O-01: one to a key is restored")
        func key() async throws {
            let identity = home.file("backup-key.txt")
            try await Backups.shell(
                "install -m 600 '\(Self.folder)/backup-key.txt' '\(identity)'")
            let run = try await ProgramRun.run(
                "postern", restoring("to-key.age") + ["--identity", identity])
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(run.errors.contains("by version 0.1.0"), "\(run.errors)")
            #expect(try names() == Self.restored)
        }

        @Test("O-01: one to a passphrase is restored, when `age` has asked for it at the terminal")
        func passphraseAtTerminal() async throws {
            let session = try TerminalSession(askingLine)
            #expect(try await session.shows("Enter passphrase"))
            try session.send(passphrase())
            #expect(await session.end() == 0, "\(session.screen)")
            #expect(try names() == Self.restored)
        }

        @Test("O-01: another passphrase restores nothing, and the error has the words of `age`")
        func otherPassphrase() async throws {
            let session = try TerminalSession(askingLine)
            #expect(try await session.shows("Enter passphrase"))
            try session.send("another\n")
            #expect(await session.end() == 1)
            #expect(
                session.screen.contains("to-passphrase.age: age: error: incorrect passphrase"),
                "\(session.screen)")
            #expect(try names() == [])
        }

        @Test(
            "O-01: ended while it asks, nothing is restored, and the terminal has its echo again",
            arguments: [true, false])
        func endedWhileAsking(byKill: Bool) async throws {
            // The shell itself does not end by Ctrl-C.
            let session = try TerminalSession("trap : INT; \(askingLine); echo code $?; stty -a")
            #expect(try await session.shows("Enter passphrase"))
            if byKill {
                let programs = try ProcessTree.started("age", below: session.id)
                #expect(programs.count == 1)
                for program in programs { kill(program, SIGKILL) }
            } else {
                try session.send("\u{3}")
            }
            #expect(await session.end() == 0)
            let screen = session.screen
            let words = byKill ? "age was ended by signal 9 (Killed)" : "nothing was restored"
            #expect(screen.contains(words), "\(screen)")
            #expect(screen.contains("code 1"), "\(screen)")
            #expect(screen.contains(" echo ") && !screen.contains("-echo "), "\(screen)")
            #expect(try names() == [])
        }

        @Test("O-01: without a terminal the error says that there is none to ask at")
        func noTerminal() async throws {
            let run = try await ProgramRun.run(
                path: "/usr/bin/setsid",
                ["--wait", BuiltPrograms.path("postern")] + restoring("to-passphrase.age"),
                limit: .seconds(60))
            #expect(run.exitCode == 1)
            #expect(run.errors.contains("/dev/tty is not available"), "\(run.errors)")
            #expect(try names() == [])
        }
    }
}
