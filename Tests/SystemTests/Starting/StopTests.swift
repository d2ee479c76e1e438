import Glibc
import TestSupport
import Testing

extension SystemTests {
    @Suite("Starting and stopping")
    struct StartingAndStopping {
        @Test(
            "X-07: SIGTERM and Ctrl-C stop all programs cleanly within 10 s",
            arguments: [SIGTERM, SIGINT])
        func stop(signal: Int32) async throws {
            try await Cluster.with { cluster in
                _ = try await cluster.signUp(Person(1))
                let processes = cluster.processes
                let started = ContinuousClock().now
                #expect(await cluster.stop(by: signal) == 0)
                #expect(ContinuousClock().now - started < Cluster.stoppedWithin)
                for (name, process) in processes {
                    #expect(!Cluster.isRunning(name, process), "\(name) is left behind")
                }
                let ends = try cluster.logLines().filter {
                    $0.contains("\"event\":\"process.stopped\"")
                }
                #expect(ends.count == 5)
            }
        }

        @Test("whatever was acknowledged before a stop is still valid after the next start")
        func restart() async throws {
            let folder = try TemporaryFolder()
            let ada = Person(1)
            var session: Session?
            try await Cluster.with(folder) { cluster in
                session = try await cluster.signUp(ada).read(SignedIn.self).session
            }
            try await Cluster.with(folder) { cluster async throws in
                #expect(try await cluster.signIn(ada).exitCode == 0)
                let kept = try #require(session)
                #expect(try await cluster.refresh(kept).exitCode == 0)
            }
        }
    }
}
