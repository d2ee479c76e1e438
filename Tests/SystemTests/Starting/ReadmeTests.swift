import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("The shell lines of the pages for users")
    struct Readme {
        private static let checkout = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path

        @Test("README.md: they sign up, sign in, refresh and look around, as they are printed")
        func readme() async throws {
            // The first lines build the programs that this test runs.
            let examples = Array(try PageExample.all(of: "\(Self.checkout)/README.md").dropFirst())
            try #require(examples.count == 2)
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { cluster in
                let answers = try await Self.run(examples, in: folder, cluster)
                try examples[0].expect(answers[0])
                for text in [
                    #""refreshToken": ""#, #""authenticated": true"#, #""current": true"#,
                    "rate-limit      serving", "postern.gateway.v1.Auth/SignInWithPassword ",
                    "errors of its own",
                ] {
                    #expect(answers[1].contains(text), "\(text): \(answers[1])")
                }
            }
        }

        /// The pages for apps that have shell lines, in the order in which these run: each goes on
        /// with what the ones before have made.
        private static let appPages = [
            "set-up", "errors", "sign-up", "sign-in", "verify-email", "passwords", "change-email",
            "google", "phone", "second-proof", "guests", "guest-data", "linking",
            "re-authentication", "second-factors", "documents", "profile", "onboarding", "consent",
            "export", "delete-account", "activity", "push", "sessions", "refresh",
            "access-tokens", "backend", "passkeys",
        ]
        private static let appFolder = "\(checkout)/Protos/postern/gateway"

        @Test("building an app: each page with shell lines names the one whose lines come before")
        func appPagesOrder() throws {
            let files = try FileManager.default.contentsOfDirectory(atPath: Self.appFolder)
            let withLines = try files.filter { $0.hasSuffix(".md") }
                .filter { try !PageExample.all(of: "\(Self.appFolder)/\($0)").isEmpty }
            #expect(withLines.sorted() == Self.appPages.map { "\($0).md" }.sorted())
            for (before, page) in zip(Self.appPages, Self.appPages.dropFirst()) {
                let text = try String(
                    contentsOfFile: "\(Self.appFolder)/\(page).md", encoding: .utf8)
                // Below the title.
                let start = try #require(text.components(separatedBy: "\n\n").dropFirst().first)
                #expect(start.hasPrefix("After ["), "\(page)")
                #expect(start.contains("](\(before).md)."), "\(page)")
            }
        }

        @Test("building an app: they run in the order of the pages, and answer as they are printed")
        func buildingAnApp() async throws {
            let examples = try Self.appPages.flatMap {
                try PageExample.all(of: "\(Self.appFolder)/\($0).md")
            }
            let folder = try TemporaryFolder()
            let environment = try await Self.environment(of: try #require(examples.first), folder)
            try #require(!environment.isEmpty)
            try await Cluster.with(folder, environment: environment) { cluster in
                let rest = Array(examples.dropFirst())
                let answers = try await Self.run(rest, in: folder, cluster)
                for (example, answer) in zip(rest, answers) where example.printed != nil {
                    try example.expect(answer)
                }
                #expect(rest.filter { $0.printed != nil }.count > 25)
            }
        }

        /// The variables that the lines which start Postern give to `docker/up.sh`.
        private static func environment(
            of start: PageExample, _ folder: TemporaryFolder
        ) async throws -> [String: String] {
            let run = try await ProgramRun.run(
                path: "/bin/bash", ["-e", "-c", "docker/up.sh() { env; }\n" + start.shell],
                in: folder.path, limit: .seconds(10))
            try #require(run.exitCode == 0, "\(run.errors)")
            return run.output.split(separator: "\n").filter { $0.hasPrefix("POSTERN_") }
                .reduce(into: [:]) { variables, line in
                    let parts = line.split(separator: "=", maxSplits: 1)
                    variables[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
                }
        }

        /// Runs the lines of all examples in one shell, in what looks like a checkout: with the
        /// built tool, the programs in Python, and the data of `docker/up.sh`.
        /// - Returns: what each example printed.
        private static func run(
            _ examples: [PageExample], in folder: TemporaryFolder, _ cluster: Cluster
        ) async throws -> [String] {
            let files = FileManager.default
            try files.createDirectory(
                atPath: folder.file(".build"), withIntermediateDirectories: true)
            try files.createSymbolicLink(
                atPath: folder.file(".build/release"), withDestinationPath: BuiltPrograms.folder)
            try files.createSymbolicLink(
                atPath: folder.file(".postern"), withDestinationPath: cluster.data)
            try files.createSymbolicLink(
                atPath: folder.file("Tests"), withDestinationPath: "\(checkout)/Tests")
            let separator = "----\n"
            // Aliases, as in an interactive shell; the first line that fails ends it.
            let run = try await ProgramRun.run(
                path: "/bin/bash",
                [
                    "-O", "expand_aliases", "-e", "-o", "pipefail", "-c",
                    examples.map(\.shell).joined(separator: "echo; echo ----\n"),
                ],
                in: folder.path, limit: .seconds(120))
            try #require(run.exitCode == 0, "\(run.output)\(run.errors)")
            let answers = run.output.components(separatedBy: separator)
            try #require(answers.count == examples.count, "\(run.output)")
            return answers
        }
    }
}
