import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite(
        "Backup and restore, as docker/backup.md describes them",
        .enabled(if: TestStore.runs("*Backup*")))
    struct BackupPage {
        private static let checkout = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path

        @Test("O-01: the page's lines make a backup, restore it, and move it to another machine")
        func lines() async throws {
            // Backup, restore, another machine, compose.
            let blocks = try PageExample.all(of: "\(Self.checkout)/docker/backup.md")
            try #require(blocks.count == 4)
            let folder = try TemporaryFolder()
            let ada = Person(1)
            try await Cluster.with(folder) { cluster async throws in
                #expect(try await cluster.signUp(ada).exitCode == 0)
                try await Self.run(blocks[0], in: folder)
                // What came after the backup is lost.
                #expect(try await cluster.signUp(Person(2)).exitCode == 0)
            }
            try await Self.run(blocks[1], in: folder)
            try await Self.run(blocks[2], in: folder)
            try await Self.run(blocks[3], in: folder)
            try await expectRestored(ada, in: folder)
            let moved = try TemporaryFolder()
            try await Backups.shell(
                "mv '\(folder.file("moved/.postern"))' '\(moved.file("data"))'")
            try await expectRestored(ada, in: moved)
            for service in ["identity", "session", "rate-limit", "notification"] {
                let names = try FileManager.default.contentsOfDirectory(
                    atPath: folder.file("volumes/postern_\(service)"))
                #expect(names.contains { $0.hasSuffix(".sqlite") }, "\(service): \(names)")
                #expect(names.count { $0.hasSuffix(".sqlite") } == 1, "\(service): \(names)")
            }
        }

        private func expectRestored(_ person: Person, in folder: TemporaryFolder) async throws {
            try await Cluster.with(folder) { cluster async throws in
                #expect(try await cluster.signIn(person).exitCode == 0)
                #expect(try await cluster.signIn(Person(2)).exitCode == 1)
            }
        }

        /// Runs a block where `.postern` is the cluster's folder. Compose's containers are the tool
        /// itself, with a folder in the place of each volume.
        private static func run(_ block: PageExample, in folder: TemporaryFolder) async throws {
            let prelude = """
                [[ -e .postern ]] || ln -s data .postern
                postern() { '\(BuiltPrograms.path("postern"))' "$@"; }
                docker() { [[ "$1 $2" == "volume rm" ]]; }
                sudo() {
                  case $1 in
                    install) cp "${@:6}" ;;  # without its options: -o needs root
                    *) "$@" ;;
                  esac
                }
                docker-compose() {
                  [[ $1 == run ]] || return 0
                  shift 2
                  local volume=/nowhere arguments
                  if [[ $1 == -v ]]; then
                    volume=$PWD/volumes/${2%%:/data}
                    shift 2
                  fi
                  [[ $1 == tool ]] || return 1
                  arguments=("${@:2}")
                  arguments=("${arguments[@]/#\\/data/$volume}")
                  postern "${arguments[@]/#\\/backups/$PWD/.postern/compose/backups}"
                }
                backup=$(ls backups/*.age 2>/dev/null | tail -n 1) || true
                mkdir -p .postern/compose/backups
                [[ -z $backup ]] || cp "$backup" .postern/compose/backups

                """
            let run = try await ProgramRun.run(
                path: "/bin/bash", ["-e", "-o", "pipefail", "-c", prelude + block.shell],
                in: folder.path, limit: .seconds(120))
            try #require(run.exitCode == 0, "\(block.shell): \(run.output)\(run.errors)")
        }
    }
}
