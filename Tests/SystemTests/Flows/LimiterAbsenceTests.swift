import Foundation
import Glibc
import TestSupport
import Testing

extension SystemTests {
    /// R-07 with the real programs: a limiter that hangs, and one that has been killed.
    @Suite("Without the limiter")
    struct WithoutLimiter {
        enum Absence: CaseIterable, Sendable {
            /// Its process is stopped: connections stay open and calls get no response.
            case stalled
            /// It has been killed and is not restarted: connections are refused.
            case killed
        }

        /// A flow finds out within 250 ms; the rest is the tool's own start on a busy machine.
        private static let soon = Duration.seconds(3)

        @Test(
            "R-07: sign-in fails fast and everything else works; fallbacks are counted and logged",
            arguments: Absence.allCases)
        func defaults(absence: Absence) async throws {
            try await Cluster.with { cluster in
                let (ada, bob) = (Person(1), Person(2))
                let session: SignedIn = try await cluster.signUp(ada).read()
                try await cluster.without(absence) {
                    for _ in 0..<2 {
                        let refused = try await Self.soon { try await cluster.signIn(ada) }
                        #expect(refused.code == "rpc/unavailable")
                    }
                    let signedUp = try await Self.soon { try await cluster.signUp(bob) }
                    #expect(signedUp.exitCode == 0, "\(signedUp.json)")
                    #expect(try await cluster.state(session.session).authenticated == true)
                    #expect(try await cluster.refresh(session.session).exitCode == 0)
                    try cluster.expectFallbacks("password-sign-in", "refuse", 2)
                    try cluster.expectFallbacks("sign-up", "pass", 1)
                }
                let isBack = try await eventually {
                    try await cluster.signIn(ada).exitCode == 0
                }
                #expect(isBack)
                let log = try String(
                    contentsOfFile: "\(cluster.data)/logs/postern-gateway.log", encoding: .utf8)
                #expect(log.components(separatedBy: "limits.unavailable").count >= 2)
                #expect(log.contains("limits.available"))
            }
        }

        @Test("R-07: each flow has its own setting", arguments: Absence.allCases)
        func settings(absence: Absence) async throws {
            let environment = [
                "POSTERN_LIMITER_FAILURE_SIGN_UP": "refuse",
                "POSTERN_LIMITER_FAILURE_PASSWORD_SIGN_IN": "pass",
            ]
            try await Cluster.with(environment: environment) { cluster in
                let (ada, bob) = (Person(1), Person(2))
                #expect(try await cluster.signUp(ada).exitCode == 0)
                try await cluster.without(absence) {
                    let signedIn = try await Self.soon { try await cluster.signIn(ada) }
                    #expect(signedIn.exitCode == 0, "\(signedIn.json)")
                    let refused = try await Self.soon { try await cluster.signUp(bob) }
                    #expect(refused.code == "rpc/unavailable")
                    try cluster.expectFallbacks("password-sign-in", "pass", 1)
                    try cluster.expectFallbacks("sign-up", "refuse", 1)
                }
            }
        }

        private static func soon(
            _ call: () async throws -> Cluster.Answer
        ) async throws -> Cluster.Answer {
            let start = ContinuousClock.now
            let answer = try await call()
            #expect(ContinuousClock.now - start < soon)
            return answer
        }
    }
}

extension Cluster {
    /// Runs `body` while the limiter is unavailable, and then lets it continue.
    fileprivate func without(
        _ absence: SystemTests.WithoutLimiter.Absence, _ body: () async throws -> Void
    ) async throws {
        guard let limiter = processes["postern-rate-limit"] else {
            throw ClusterError(message: "postern-rate-limit does not run")
        }
        // For a killed limiter the supervisor, which would restart it, is stopped.
        let still = absence == .stalled ? limiter : up.id
        kill(still, SIGSTOP)
        defer { kill(still, SIGCONT) }
        if absence == .killed {
            kill(limiter, SIGKILL)
            let isGone = try await eventually {
                !Self.isRunning("postern-rate-limit", limiter)
            }
            #expect(isGone)
        }
        try await body()
    }

    fileprivate func expectFallbacks(
        _ flow: String, _ outcome: String, _ expected: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let head =
            "postern_limiter_fallbacks_total{flow=\"\(flow)\",outcome=\"\(outcome)\"} "
        let line = try metrics("gateway", "/metrics").split(separator: "\n")
            .first { $0.hasPrefix(head) }
        let count = line.flatMap { Int($0.dropFirst(head.count).trimmingPrefix(" ")) } ?? 0
        #expect(count == expected, "\(line ?? "no such metric")", sourceLocation: sourceLocation)
    }
}
