import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// A backend for each follower would be thousands of processes, so the followers are streams of
    /// one crowd. The session ends through another gateway: this gateway learns of it by the stream
    /// that all its followers share. An ordinary run has a few hundred followers.
    @Suite(
        "Followers of the gateway's revocation feed",
        .enabled(if: CrowdProcess.isPossible, "python3 is missing"), .timeLimit(.minutes(8)))
    struct Followers {
        private static let count = SoakRounds.isLong ? 10_000 : 300
        private static let ends = SoakRounds.isLong ? 20 : 3
        /// The goal is one second; the printed figures of a long run on an otherwise idle machine
        /// are compared with it.
        private static let lastMax = 5_000

        @Test("S-06: a revocation reaches every follower, even after a restart of session")
        func followers() async throws {
            try await Cluster.with { cluster in
                let gateway = GatewayProgram("followed", of: cluster)
                try await gateway.start()
                let crowd = try CrowdProcess(port: gateway.port, data: cluster.data)
                let maker = try SessionMaker(cluster)
                do {
                    try await costs(gateway, crowd)
                    try await notifies("an end", crowd, maker)
                    try cluster.crash("session")
                    try await untilBack(maker)
                    try await notifies("an end after session's restart", crowd, maker)
                } catch {
                    Issue.record(error)
                }
                maker.close()
                await crowd.end()
                await gateway.stop()
            }
        }

        /// Opens the followers' streams and measures the gateway's growth.
        private func costs(_ gateway: GatewayProgram, _ crowd: CrowdProcess) async throws {
            let first = Self.count / 5
            // Memory that the process allocates once, and that its allocator keeps.
            try await crowd.run("follow \(first)")
            try await untilAllReceive(first, crowd)
            let before = try ProcessMemory.resident(gateway.id)
            try await crowd.run("follow \(Self.count - first)")
            try await untilAllReceive(Self.count, crowd)
            let grown = try ProcessMemory.resident(gateway.id) - before
            let each = grown / (Self.count - first)
            Figures.tell("follower", Double(each), "bytes")
            #expect(each <= 16 << 10)
        }

        /// Ends sessions one after the other; every follower must receive each revocation.
        private func notifies(
            _ name: String, _ crowd: CrowdProcess, _ maker: SessionMaker
        ) async throws {
            var p99s: [Int] = []
            for _ in 0..<Self.ends {
                let tokens = try await maker.open()
                try await crowd.run("mark")
                try await maker.signOut(tokens)
                var said: [Int] = []
                let areNotified = try await eventually(within: .seconds(60)) {
                    said = try await crowd.run("told").compactMap { Int($0) }
                    return said.first ?? 0 >= Self.count
                }
                #expect(areNotified && said.first == Self.count, "\(said)")
                p99s.append(said.count == 4 ? said[2] : .max)
            }
            let worst = p99s.max() ?? 0
            Figures.tell(
                "followers: \(name) reaches 99 in 100 of \(Self.count) within \(p99s.sorted()) ms")
            #expect(worst <= Self.lastMax)
        }

        /// Returns once the streams have received two more items each; they get one each second.
        private func untilAllReceive(_ count: Int, _ crowd: CrowdProcess) async throws {
            func items() async throws -> Int {
                Int(try await crowd.run("count").dropFirst().first ?? "") ?? 0
            }
            let before = try await items()
            let haveReceived = try await eventually(within: .seconds(60)) {
                try await items() >= before + 2 * count
            }
            #expect(haveReceived)
        }

        /// Returns once sessions can be opened again.
        private func untilBack(_ maker: SessionMaker) async throws {
            let isBack = try await eventually {
                // Fails while the session service is unavailable.
                (try? await maker.open()) != nil
            }
            #expect(isBack)
        }
    }
}
