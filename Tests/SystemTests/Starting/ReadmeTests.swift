import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("The first lines of README.md")
    struct Readme {
        private static let checkout = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path

        @Test("its shell lines sign up, sign in, refresh and look around, as they are printed")
        func shellLines() async throws {
            let page = try String(contentsOfFile: "\(Self.checkout)/README.md", encoding: .utf8)
            // The first lines build the programs that this test runs.
            let shell = Self.blocks("sh", of: page).dropFirst()
            let printed = try #require(Self.blocks("json", of: page).first)
            try #require(shell.count == 2)
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { cluster in
                // What the lines expect in a checkout: the built tool, and the data of `up.sh`.
                let files = FileManager.default
                try files.createDirectory(
                    atPath: folder.file(".build"), withIntermediateDirectories: true)
                try files.createSymbolicLink(
                    atPath: folder.file(".build/release"),
                    withDestinationPath: BuiltPrograms.folder)
                try files.createSymbolicLink(
                    atPath: folder.file(".postern"), withDestinationPath: cluster.data)
                // Aliases, as in an interactive shell; the first line that fails ends it.
                let run = try await ProgramRun.run(
                    path: "/bin/bash",
                    [
                        "-O", "expand_aliases", "-e", "-o", "pipefail", "-c",
                        shell.joined(separator: "echo ----\n"),
                    ],
                    in: folder.path, limit: .seconds(60))
                try #require(run.exitCode == 0, "\(run.output)\(run.errors)")
                let answers = run.output.components(separatedBy: "----\n")
                try #require(answers.count == 2)
                try Self.expect(answers[0], toBeAs: printed)
                for text in [
                    #""refreshToken": ""#, #""authenticated": true"#, #""current": true"#,
                    "rate-limit      serving", "postern.gateway.v1.Auth/SignInWithPassword ",
                    "errors of its own",
                ] {
                    #expect(answers[1].contains(text), "\(text): \(answers[1])")
                }
            }
        }

        /// The fenced blocks of a language, in the page's order.
        private static func blocks(_ language: String, of page: String) -> [String] {
            page.components(separatedBy: "```\(language)\n").dropFirst()
                .compactMap { $0.components(separatedBy: "```\n").first }
        }

        /// Expects an answer with the members that the page prints, and with the values that do not
        /// differ from one run to the next.
        private static func expect(_ answer: String, toBeAs printed: String) throws {
            let answered = try members(answer)
            let shown = try members(printed)
            #expect(answered.keys.sorted() == shown.keys.sorted())
            for name in ["account.email", "account.status", "account.methods"] {
                #expect(answered[name] != nil && answered[name] == shown[name])
            }
        }

        /// The members of two levels of JSON, by `outer.inner`.
        private static func members(_ json: String) throws -> [String: String] {
            let outer = try #require(
                try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [String: Any]])
            return outer.reduce(into: [:]) { all, member in
                for (name, value) in member.value { all["\(member.key).\(name)"] = "\(value)" }
            }
        }
    }
}
