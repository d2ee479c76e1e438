import Foundation
import Glibc
import TestSupport
import Testing

extension SystemTests {
    @Suite("Errors at start")
    struct RefusingToStart {
        @Test("a second postern up on a folder reports who uses it, and does not disturb the first")
        func second() async throws {
            try await Cluster.with { cluster in
                let second = try await up(cluster.data)
                #expect(second.exitCode == 1)
                #expect(second.errors.contains("is in use by process \(cluster.up.id)"))
                #expect(try await cluster.status().exitCode == 0)
                #expect(try await cluster.signUp(Person(1)).exitCode == 0)
            }
        }

        @Test("a port that is in use is named")
        func port() async throws {
            try await Cluster.with { cluster in
                let taken = try #require(cluster.addresses()["session"]?.split(separator: ":").last)
                let folder = try TemporaryFolder()
                // The session service's port is the third.
                let base = try #require(Int(taken)) - 2
                let other = try await up(folder.file("data"), portBase: base)
                #expect(other.exitCode == 1)
                // Another program's port can be taken too: by a port of the first stack.
                #expect(other.errors.contains("cannot listen on 127.0.0.1:"), "\(other.errors)")
                #expect(other.errors.contains("Address already in use"))
            }
        }

        @Test("a folder that cannot be created is named", arguments: ["a/b/c", "file"])
        func folder(name: String) async throws {
            let folder = try TemporaryFolder()
            try folder.write("", to: "file")
            let run = try await up(folder.file(name))
            #expect(run.exitCode == 1)
            #expect(run.errors.contains(folder.file(name)))
        }

        @Test("Secrets: a key file that others can read, or that is lost, is an error with advice")
        func keys() async throws {
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { _ in }
            let key = folder.file("data/keys/identity.key")
            chmod(key, 0o644)
            let exposed = try await upAgain(folder)
            #expect(exposed.exitCode == 1)
            #expect(exposed.errors.contains("chmod 600"), "\(exposed.errors)")
            // A new key would decrypt nothing: every account would silently be unknown.
            unlink(key)
            let lost = try await upAgain(folder)
            #expect(lost.exitCode == 1)
            #expect(lost.errors.contains("identity.key is missing"), "\(lost.errors)")
        }

        @Test("B17: a store with another master key is refused by all four services, with advice")
        func otherKeys() async throws {
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { cluster in
                let answer = try await cluster.signUp(Person(1))
                #expect(answer.exitCode == 0)
            }
            for service in ["identity", "session", "rate-limit", "notification"] {
                let key = URL(filePath: folder.file("data/keys/\(service).key"))
                let right = try Data(contentsOf: key)
                var other = right
                other[other.startIndex] ^= 1
                try other.write(to: key)
                let run = try await upAgain(folder)
                #expect(run.exitCode == 1, "\(service)")
                let (said, advice) =
                    TestStore.isOnServer
                    ? ("is not the key of", "copy the file of that name from the machine")
                    : ("does not open", "the master key that the store was made with")
                #expect(run.errors.contains("\(key.path) \(said)"), "\(run.errors)")
                #expect(run.errors.contains(advice))
                try right.write(to: key)
            }
            try await Cluster.with(folder) { cluster in
                let answer = try await cluster.signIn(Person(1))
                #expect(answer.exitCode == 0)
            }
        }

        @Test("B18: an overwritten log of limits is refused instead of being read as empty")
        func overwrittenLog() async throws {
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { cluster in
                let answer = try await cluster.signUp(Person(1))
                #expect(answer.exitCode == 0)
            }
            let log = URL(filePath: folder.file("data/data/ratelimit.log.0"))
            let length = try Data(contentsOf: log).count
            #expect(length > 0)
            try Data(repeating: 0x61, count: length).write(to: log)
            let run = try await up(folder.file("data"))
            #expect(run.exitCode == 1)
            #expect(run.errors.contains("ratelimit.log.0 is damaged at byte 0"), "\(run.errors)")
            #expect(run.errors.contains("restore a backup"))
        }

        @Test("B19: a store that is not a database is refused with its name and advice")
        func noDatabase() async throws {
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { _ in }
            let store = URL(filePath: folder.file("data/data/identity.sqlite"))
            try Data(repeating: 0x61, count: 20_000).write(to: store)
            let run = try await up(folder.file("data"))
            #expect(run.exitCode == 1)
            #expect(run.errors.contains("identity.sqlite is not a store or is damaged"))
            #expect(run.errors.contains("restore a backup"), "\(run.errors)")
        }

        @Test(
            "a listener beyond loopback needs TLS or explicit permission",
            arguments: BuiltPrograms.services)
        func plaintext(service: String) async throws {
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { _ in }
            let run = try await ProgramRun.run(
                "postern-\(service)",
                [
                    "--listen-host", "0.0.0.0", "--listen-port", "0", "--metrics-port", "0",
                    "--data-folder", folder.file("data/data"),
                    "--keys-folder", folder.file("data/keys"),
                    "--applications-folder", folder.file("data/keys/\(service)"),
                ], limit: .seconds(20))
            #expect(run.exitCode == 78)
            #expect(run.errors.contains("set plaintext to trusted-network"))
        }

        private func up(
            _ data: String, portBase: Int = 0, options: [String] = []
        ) async throws -> ProgramRun {
            try await ProgramRun.run(
                "postern", ["up", "--data", data, "--port-base", "\(portBase)"] + options,
                limit: .seconds(30))
        }

        /// Starts what a cluster has left, on the same stores.
        private func upAgain(_ folder: TemporaryFolder) async throws -> ProgramRun {
            let url = try Cluster.storeURL(of: folder)
            return try await up(
                folder.file("data"), options: url.map { ["--store", $0] } ?? [])
        }
    }
}
