import Foundation
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Charges without a pause while the limiter is killed.
    ///
    /// Two rounds, or as many as `POSTERN_SOAK_ROUNDS` says. `POSTERN_SOAK_SEED` repeats the times
    /// of the kills, but not the machine's own timing.
    @Test("R-06: the limiter is killed at random under load: no answered charge is lost")
    func limiter() async throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["POSTERN_SOAK_ROUNDS"].flatMap { Int($0) } ?? 2
        let seed = environment["POSTERN_SOAK_SEED"].flatMap { UInt64($0) } ?? 7
        try await Cluster.with { cluster in
            for round in 1...rounds {
                let randomness = SeededRandomness(seed: seed + UInt64(round))
                let charges = Charges(subject: "198.18.\(round / 250).\(round % 250)")
                let answered = try await charges.run(cluster, killing: randomness)
                let counted = try await charges.counted(cluster)
                #expect(
                    (answered...Charges.tries).contains(counted),
                    "round \(round), seed \(seed): \(answered) answered, \(counted) counted")
            }
        }
    }
}

/// Charges of one subject, four at a time.
private struct Charges: Sendable {
    static let width = 4
    static let tries = 24
    /// The number that the limit allows.
    private static let count = 50
    private static let limits = "postern.ratelimit.v1.Limits"

    private let json: String

    init(subject: String) {
        json =
            "{\"charges\": [{\"limit\": \"failed-sign-in-by-address\", \"subject\": \"\(subject)\"}]}"
    }

    /// - Returns: the number of charges that were answered.
    func run(_ cluster: Cluster, killing randomness: SeededRandomness) async throws -> Int {
        let moment = Duration.milliseconds(Int(randomness.next() % 300))
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.width {
                group.addTask {
                    var answered = 0
                    for _ in 0..<Self.tries / Self.width {
                        let answer = try await cluster.call("\(Self.limits)/Consume", json)
                        if answer.exitCode == 0 { answered += 1 }
                    }
                    return answered
                }
            }
            group.addTask {
                try await Task.sleep(for: moment)
                try cluster.crash("rate-limit")
                return 0
            }
            return try await group.reduce(0, +)
        }
    }

    /// The number of charges that the restarted limiter has counted.
    func counted(_ cluster: Cluster) async throws -> Int {
        var counted: Int?
        _ = try await eventually {
            let answer = try await cluster.call("\(Self.limits)/Peek", json)
            guard answer.exitCode == 0 else { return false }
            let peek: Peek = try answer.read()
            counted = Self.count - 1 - (peek.decision.remaining ?? 0)
            return true
        }
        guard let counted else { throw ClusterError(message: "the limiter did not restart") }
        return counted
    }

    private struct Peek: Decodable {
        struct Decision: Decodable {
            let remaining: Int?
        }

        let decision: Decision
    }
}
