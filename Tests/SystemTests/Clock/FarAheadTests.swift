import Foundation
import TestSupport
import Testing

/// A clock that a time server has synchronised needs no confirmation by the operator.
private let canBeFarAhead =
    CrowdProcess.isPossible
    && !FileManager.default.fileExists(atPath: "/run/systemd/timesync/synchronized")

extension SystemTests {
    /// The test cannot set the machine's clock, so it changes the stores' clock marks: they say
    /// that everything stopped three days and an hour ago, in another boot.
    @Suite(
        "Clock: a start with the clock far ahead",
        .enabled(if: canBeFarAhead && TestStore.runs("*Clock*")))
    struct FarAheadClock {
        /// The limiter's store may have no mark yet: the limiter writes to its own files.
        private static let stores = ["identity", "session", "notification"]
        private static let ageing = """
            import sqlite3, sys
            for path in sys.argv[1:]:
                store = sqlite3.connect(path)
                store.execute("UPDATE clock_mark SET at_ms = at_ms - 262800000, boot_at_ms = NULL")
                store.commit()
                store.close()
            """

        private func age(_ data: String) async throws {
            let paths = Self.stores.map { "\(data)/data/\($0).sqlite" }
            let run = try await ProgramRun.run(
                path: "/usr/bin/env", ["python3", "-c", Self.ageing] + paths, limit: .seconds(20))
            #expect(run.exitCode == 0, "\(run.errors)")
        }

        private func clock(_ cluster: Cluster, _ command: String) async throws -> ProgramRun {
            try await ProgramRun.run("postern", ["clock", command] + cluster.endpoints)
        }

        @Test(
            "postern up reports how far ahead the clock is and what to do; one command accepts it")
        func accept() async throws {
            let folder = try TemporaryFolder()
            let ada = Person(1)
            var session: Session?
            try await Cluster.with(folder) { cluster in
                session = try await cluster.signUp(ada).read(SignedIn.self).session
                #expect(!cluster.output.contains("clock"))
                #expect(try await clock(cluster, "check").exitCode == 0)
            }
            try await age(folder.file("data"))
            let signedIn = try #require(session)
            try await Cluster.with(folder) { cluster in
                let isSaid = try await eventually { cluster.output.contains("it is wrong, set it") }
                #expect(isSaid, "\(cluster.output)")
                #expect(cluster.output.contains("is 3 d 1 h ahead of where"))
                for service in Self.stores {
                    #expect(cluster.output.contains(service))
                }
                #expect(
                    cluster.output.contains(
                        "postern clock accept --endpoints \(cluster.data)/endpoints.json"))
                #expect(try await cluster.refresh(signedIn).code == "rpc/unavailable")
                try await accepted(cluster)
                #expect(try await cluster.refresh(signedIn).exitCode == 0)
                #expect(try await cluster.signIn(ada).exitCode == 0)
            }
            try await Cluster.with(folder) { cluster in
                #expect(!cluster.output.contains("clock waits"), "accepted once is enough")
            }
        }

        private func accepted(_ cluster: Cluster) async throws {
            let waiting = try await clock(cluster, "check")
            #expect(waiting.exitCode == 1)
            #expect(count(of: "  waits: the machine's clock is 3 d 1 h ahead", in: waiting) == 3)
            let run = try await clock(cluster, "accept")
            #expect(run.exitCode == 0)
            #expect(count(of: "  accepted: its time went on by 3 d 1 h", in: run) == 3)
            let after = try await clock(cluster, "check")
            #expect(after.exitCode == 0)
            #expect(count(of: "  agrees with the machine's clock", in: after) == 4)
        }

        private func count(of text: String, in run: ProgramRun) -> Int {
            run.output.split(separator: "\n").count { $0.contains(text) }
        }
    }
}
