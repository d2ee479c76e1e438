import TestSupport
import Testing

extension SystemTests {
    @Suite(
        "Data folders that were copied by hand",
        .enabled(if: TestStore.runs("CopiedByHand")))
    struct CopiedByHand {
        @Test("O-01, Erasure: a copy of a stopped cluster is recognised, and its sessions end")
        func stopped() async throws {
            let folder = try TemporaryFolder()
            let ada = Person(1)
            var session: Session?
            try await Cluster.with(folder) { cluster async throws in
                let first: SignedIn = try await cluster.signUp(ada).read()
                session = first.session
            }
            let first = try #require(session)
            let copy = try TemporaryFolder()
            try await Backups.shell("cp -a '\(folder.file("data"))' '\(copy.path)'")
            try await Cluster.with(copy) { cluster async throws in
                #expect(try await cluster.state(first).authenticated != true)
                #expect(try await cluster.refresh(first).code == "auth/session-ended")
                #expect(try await cluster.signIn(ada).exitCode == 0)
                let lines = try cluster.logLines().filter { $0.contains("store.restored") }
                #expect(lines.count == 4, "\(lines)")
                for service in ["identity", "session", "rate-limit", "notification"] {
                    let warning = "warning: \(service): this store is a restored copy"
                    #expect(cluster.output.contains(warning), "\(cluster.output)")
                }
            }
            // The original was not touched, and a rename is no copy.
            let moved = try TemporaryFolder()
            try await Backups.shell("mv '\(folder.file("data"))' '\(moved.path)'")
            try await Cluster.with(moved) { cluster async throws in
                #expect(try await cluster.state(first).authenticated == true)
            }
        }

        @Test(
            "O-01: a copy of a running cluster is refused with what to do, and a restore checks it")
        func running() async throws {
            let ada = Person(1)
            try await Cluster.with { cluster async throws in
                let first: SignedIn = try await cluster.signUp(ada).read()
                let copy = try TemporaryFolder()
                try await Backups.shell(
                    """
                    mkdir -m 700 '\(copy.file("data"))'
                    cp -a '\(cluster.data)/keys' '\(cluster.data)/data' '\(copy.file("data"))'
                    """)
                let run = try await ProgramRun.run(
                    "postern", ["up", "--data", copy.file("data"), "--port-base", "0"],
                    limit: .seconds(30))
                #expect(run.exitCode == 1)
                #expect(run.errors.contains("postern restore --from"), "\(run.errors)")

                let home = try TemporaryFolder()
                try await Backups.shell(
                    """
                    mkdir -m 700 '\(home.file("data"))'
                    cp -a '\(cluster.data)/keys' '\(home.file("data"))'
                    """)
                let restored = try await ProgramRun.run(
                    "postern",
                    [
                        "restore", "--from", copy.file("data/data"), "--data",
                        home.file("data/data"), "--keys", home.file("data/keys"),
                    ])
                #expect(restored.exitCode == 0, "\(restored.errors)")
                #expect(restored.errors.contains("commits may be missing"), "\(restored.errors)")
                try await Cluster.with(home) { cluster async throws in
                    #expect(try await cluster.signIn(ada).exitCode == 0)
                    #expect(try await cluster.state(first.session).authenticated != true)
                }
            }
        }
    }
}
