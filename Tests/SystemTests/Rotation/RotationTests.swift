import Glibc
import Messages
import TestSupport
import Testing

extension SystemTests {
    @Suite("Refresh tokens, through all five programs")
    struct Rotation {
        private static let parallelUses = 50

        @Test("G-10, S-04: 50 parallel uses of one token, repeatedly: one live leaf each time")
        func parallel() async throws {
            let rounds = SoakRounds.count(ordinarily: 5)
            try await Cluster.with { cluster in
                let backend = try LoadBackend(cluster)
                for (number, hasKey) in [(1, false), (2, true)] {
                    let app = try await RefreshingApp.signIn(number, hasKey: hasKey, backend)
                    for round in 1...rounds {
                        let before = await app.session.refreshToken
                        let children = try await app.refreshAtOnce(
                            count: Self.parallelUses, backend)
                        #expect(children.count == 1, "round \(round), key: \(hasKey)")
                        #expect(!children.contains(before))
                    }
                    let token = await app.session.accessToken
                    #expect(try await backend.isSignedIn(token, of: app.person))
                }
                backend.close()
            }
        }

        /// Three rounds, or as many as `POSTERN_SOAK_ROUNDS` says. The seed gives the times of the
        /// kills, but not the machine's own timing.
        @Test("G-10, S-04: session is killed at random during refreshes: no user is signed out")
        func killed() async throws {
            let rounds = SoakRounds.count(ordinarily: 3)
            let seed = SoakRounds.seed ?? 17
            let randomness = SeededRandomness(seed: seed)
            var killed: pid_t = 0
            try await Cluster.with { cluster in
                let backend = try LoadBackend(cluster)
                var apps: [RefreshingApp] = []
                for number in 1...8 {
                    apps.append(
                        try await .signIn(number, hasKey: number.isMultiple(of: 2), backend))
                }
                for _ in 1...rounds {
                    killed = try await run(
                        apps, backend, cluster, killingAfter: randomness.next() % 400,
                        not: killed)
                }
                for app in apps {
                    let token = await app.session.accessToken
                    #expect(try await backend.isSignedIn(token, of: app.person))
                    try await app.refresh(times: 1, backend)
                }
                backend.close()
            }
            print("session was killed \(rounds) times, seed \(seed)")
        }

        /// - Parameter last: the process that was killed before, which may still be listed for a
        ///   moment.
        /// - Returns: the process that was killed.
        private func run(
            _ apps: [RefreshingApp], _ backend: LoadBackend, _ cluster: Cluster,
            killingAfter milliseconds: UInt64, not last: pid_t
        ) async throws -> pid_t {
            var process: pid_t = 0
            let isThere = try await eventually {
                process = cluster.processes["postern-session"] ?? last
                return process != last
            }
            #expect(isThere)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for app in apps { group.addTask { try await app.refresh(times: 30, backend) } }
                try await Task.sleep(for: .milliseconds(Int(milliseconds)))
                kill(process, SIGKILL)
                try await group.waitForAll()
            }
            return process
        }
    }
}
