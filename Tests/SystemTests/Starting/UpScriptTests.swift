import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// `docker/up.sh` of a checkout of one source, with a `swift` that takes no minutes.
    @Suite("docker/up.sh")
    struct UpScript {
        private static let docker =
            URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/docker"
        /// It notes each build, and makes programs of which the tool is the one that was built.
        private static let swift = """
            #!/bin/bash
            case $1 in
            --version) echo "Swift version 6.9 (of a test)" ;;
            build)
              while [[ $1 != --package-path ]]; do shift; done
              release=$2/.build/release
              mkdir -p "$release"
              for name in postern{,-gateway,-identity,-session,-rate-limit,-notification,-web}; do
                printf '#!/bin/sh\\nexec "%s" "$@"\\n' "\(BuiltPrograms.path("postern"))" \\
                  >"$release/$name"
                chmod +x "$release/$name"
              done
              echo built >>"$2/../builds"
              ;;
            esac
            """
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            let files = FileManager.default
            for name in ["bin", "a", "a/docker", "a/Sources"] {
                try files.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            for name in ["up.sh", "packages.sh"] {
                try files.copyItem(
                    atPath: "\(Self.docker)/\(name)", toPath: folder.file("a/docker/\(name)"))
            }
            let scripts = ["bin/swift": Self.swift, "a/docker/versions.sh": "#!/bin/sh\n"]
            for (name, text) in scripts {
                let path = try folder.write(text, to: name)
                try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
            for name in ["a/docker/versions.json", "a/Package.swift", "a/Sources/One.swift"] {
                try folder.write("1\n", to: name)
            }
        }

        @Test("it builds once, again for a changed source or program, and not otherwise")
        func builds() async throws {
            #expect(try await up("a").exitCode == 0)
            #expect(builds == 1)
            let second = try await up("a")
            #expect(second.exitCode == 0 && builds == 1)
            #expect(second.errors.contains("nothing to build"), "\(second.errors)")
            #expect(second.output.contains("postern up"), "the tool was not started")

            try folder.write("2\n", to: "a/Sources/One.swift")
            _ = try await up("a")
            #expect(builds == 2)
            try folder.write("1\n", to: "a/Sources/Two.swift")
            _ = try await up("a")
            #expect(builds == 3)
            try FileManager.default.removeItem(atPath: folder.file("a/Sources/Two.swift"))
            _ = try await up("a")
            #expect(builds == 4)
            // Somebody has built another program there meanwhile.
            try folder.write("#!/bin/sh\n", to: "a/.build/release/postern-web")
            _ = try await up("a")
            #expect(builds == 5)
            try FileManager.default.removeItem(atPath: folder.file("a/.build/release/postern-web"))
            _ = try await up("a")
            #expect(builds == 6)
            _ = try await up("a")
            #expect(builds == 6)
        }

        @Test("a folder that was moved after it was built: what names the former one is removed")
        func moved() async throws {
            _ = try await up("a")
            try folder.write("of the former folder", to: "a/.build/module.pcm")
            let former = folder.file("a")
            try FileManager.default.moveItem(atPath: former, toPath: folder.file("b"))
            let run = try await up("b")
            #expect(run.exitCode == 0 && builds == 2)
            #expect(run.errors.contains("was built as \(former)"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("b/.build/module.pcm")))
            _ = try await up("b")
            #expect(builds == 2)
        }

        @Test("a moved folder whose build is from before that was recorded is noticed too")
        func unrecorded() async throws {
            _ = try await up("a")
            try FileManager.default.removeItem(atPath: folder.file("a/.build/made-in"))
            try folder.write(
                "tools: {}\n  \"/srv/former/.build/x/release\": 1\n", to: "a/.build/release.yaml")
            let run = try await up("a")
            #expect(run.errors.contains("was built as /srv/former:"), "\(run.errors)")
            #expect(builds == 2)
        }

        /// How often it has built.
        private var builds: Int {
            // Nothing was built before there is a file.
            let text = try? String(contentsOfFile: folder.file("builds"), encoding: .utf8)
            return text?.split(separator: "\n").count ?? 0
        }

        private func up(_ checkout: String) async throws -> ProgramRun {
            try await ProgramRun.run(
                path: "/bin/bash",
                [
                    "-c",
                    "PATH='\(folder.file("bin"))':$PATH '\(folder.file(checkout))/docker/up.sh' "
                        + "--help",
                ], in: folder.path, limit: .seconds(60))
        }
    }
}
