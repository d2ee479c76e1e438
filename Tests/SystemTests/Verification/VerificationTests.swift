import Contracts
import Cryptography
import Messages
import PosternClient
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("S-06, S-07: revocations reach verifiers within a second", .timeLimit(.minutes(2)))
    struct Verification {
        private static let sessionsCount = 60
        /// The limit that the requirement sets.
        private static let notifiedWithin = Duration.seconds(1)

        private func verifier(_ maker: SessionMaker) -> SessionVerifier {
            SessionVerifier(
                VerificationClient(maker.gateway), VerifierSettings(), time: SystemTime(),
                randomness: SecureRandomness())
        }

        /// Runs a verifier while `body` runs.
        private func following<Value>(
            _ verifier: SessionVerifier, _ body: () async throws -> Value
        ) async throws -> Value {
            let work = Task { await verifier.run() }
            defer { work.cancel() }
            let isFresh = try await eventually { verifier.freshness != nil }
            #expect(isFresh)
            return try await body()
        }

        private func isGood(_ token: String, _ verifier: SessionVerifier) async -> Bool {
            if case .good = await verifier.verify(token) { true } else { false }
        }

        /// The time from `begin` until a token is rejected, polled each millisecond.
        private func refused(
            since begin: ContinuousClock.Instant, _ isGood: () async throws -> Bool
        ) async throws -> Duration {
            while try await isGood() {
                guard ContinuousClock.now - begin < .seconds(10) else { break }
                try await Task.sleep(for: .milliseconds(1))
            }
            return ContinuousClock.now - begin
        }

        /// Ends sessions one by one, and measures how long the session service and a verifier still
        /// accept their tokens, from the start of the call that ends the session.
        private func ends(
            _ maker: SessionMaker, _ verifier: SessionVerifier, count: Int
        ) async throws -> (service: [Duration], verifier: [Duration]) {
            var (service, offline): ([Duration], [Duration]) = ([], [])
            for _ in 0..<count {
                let tokens = try await maker.open()
                #expect(await isGood(tokens.accessToken, verifier))
                #expect(try await maker.isValid(tokens))
                let begin = ContinuousClock.now
                try await maker.signOut(tokens)
                service.append(try await refused(since: begin) { try await maker.isValid(tokens) })
                offline.append(
                    try await refused(since: begin) { await isGood(tokens.accessToken, verifier) })
            }
            return (service, offline)
        }

        private func report(_ name: String, _ times: [Duration]) {
            let sorted = times.sorted()
            let p99 = sorted[(sorted.count * 99 - 1) / 100]
            print("\(name): p50 \(sorted[sorted.count / 2]), p99 \(p99) of \(sorted.count)")
            #expect(p99 < Self.notifiedWithin, "\(name)")
        }

        @Test(
            "S-07: validation and an offline verifier reject an ended session, also after restarts"
        )
        func ends() async throws {
            try await Cluster.with { cluster in
                let maker = try SessionMaker(cluster)
                defer { maker.close() }
                let verifier = verifier(maker)
                let missed = try await following(verifier) {
                    let before = try await ends(maker, verifier, count: Self.sessionsCount)
                    report("ends at the session service", before.service)
                    report("ends at a verifier", before.verifier)
                    try cluster.crash("session")
                    let isBack = try await eventually { try await !self.opened(maker).isEmpty }
                    #expect(isBack)
                    let after = try await ends(maker, verifier, count: 20)
                    report("ends at the session service after its restart", after.service)
                    report("ends at a verifier after that restart", after.verifier)
                    try cluster.crash("gateway")
                    let isThere = try await eventually { try await !self.opened(maker).isEmpty }
                    #expect(isThere)
                    let last = try await ends(maker, verifier, count: 20)
                    report("ends at a verifier after the gateway's restart", last.verifier)
                    return try await maker.open()
                }
                try await maker.signOut(missed)
                let begin = ContinuousClock.now
                try await following(verifier) {
                    let late = try await refused(since: begin) {
                        await isGood(missed.accessToken, verifier)
                    }
                    report("an end while the verifier was away", [late])
                }
            }
        }

        /// Opens a session; empty while the session service is unavailable.
        private func opened(_ maker: SessionMaker) async throws -> String {
            do {
                return try await maker.open().sessionId
            } catch is ServiceError {
                return ""
            }
        }

        @Test(
            "S-01: keys rotate keeps all tokens valid; keys revoke rejects its tokens in a second")
        func keys() async throws {
            try await Cluster.with { cluster in
                let maker = try SessionMaker(cluster)
                defer { maker.close() }
                let verifier = verifier(maker)
                try await following(verifier) {
                    let old = try await maker.open()
                    #expect(await isGood(old.accessToken, verifier))
                    #expect(try await lines(cluster, ["rotate"]).count == 2)
                    let new = try await maker.open()
                    for tokens in [old, new] {
                        #expect(await isGood(tokens.accessToken, verifier))
                        #expect(try await maker.isValid(tokens))
                    }
                    try await refreshKeys(cluster)
                    let active = try #require(
                        try await lines(cluster, ["list"]).first { $0.contains("  active") })
                    let kid = try #require(active.split(separator: " ").first.map(String.init))
                    let begin = ContinuousClock.now
                    let after = try await lines(cluster, ["revoke", kid, "--yes"])
                    #expect(after.contains { $0.hasPrefix(kid) && $0.contains("  revoked") })
                    let late = try await refused(since: begin) {
                        await isGood(new.accessToken, verifier)
                    }
                    report("a revoked key at a verifier", [late])
                    #expect(try await !maker.isValid(new))
                    #expect(try await maker.isValid(old), "its key was not revoked")
                    let newest = try await maker.open()
                    #expect(await isGood(newest.accessToken, verifier))
                }
            }
        }

        /// Rotates the keys of refresh tokens, which are separate from the signing keys.
        private func refreshKeys(_ cluster: Cluster) async throws {
            let rotated = try await lines(cluster, ["rotate-refresh"])
            #expect(rotated.count == 2)
            #expect(rotated.first?.hasPrefix("refresh-2  active ") == true)
            #expect(rotated.last?.hasPrefix("refresh-1  passive ") == true)
            #expect(rotated.last?.contains("its tokens are taken until") == true)
            let all = try await lines(cluster, ["list"])
            #expect(Array(all.suffix(2)) == rotated)
            #expect(all.count == 4)
        }

        private func lines(_ cluster: Cluster, _ arguments: [String]) async throws -> [String] {
            let run = try await ProgramRun.run(
                "postern", ["keys"] + arguments + cluster.endpoints, input: "")
            #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
            return run.output.split(separator: "\n").map(String.init)
        }
    }
}
