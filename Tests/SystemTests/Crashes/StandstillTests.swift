import Glibc
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Longer than the gateway waits for the rate limiter, shorter than what counts as a failure.
    private static let standstill = Duration.milliseconds(280)

    @Test("X-07: while a program stands still for a moment, no sign-in ends as cancelled")
    func standstills() async throws {
        try await Cluster.with { cluster in
            let people = (1...6).map { Person($0) }
            for person in people { _ = try await cluster.signUp(person) }
            let client = try cluster.client(of: "gateway", as: "app")
            defer { client.close() }
            for round in 1...SoakRounds.count {
                for name in ["postern-rate-limit", "postern-identity", "postern-session"] {
                    let process = try #require(cluster.processes[name])
                    let codes = try await withThrowingTaskGroup(of: ErrorCode?.self) { signIns in
                        for person in people {
                            signIns.addTask { await client.signIn(person)?.code }
                        }
                        try await Task.sleep(for: .milliseconds(5 * (round % 20)))
                        try await Self.stop(process, for: Self.standstill)
                        return try await signIns.reduce(into: []) { $0.append($1) }
                    }
                    #expect(!codes.contains(.cancelled), "\(name) stood still")
                }
            }
        }
    }

    private static func stop(_ process: pid_t, for time: Duration) async throws {
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        try await Task.sleep(for: time)
    }
}
