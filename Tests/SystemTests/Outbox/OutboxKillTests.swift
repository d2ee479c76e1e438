import Foundation
import Messages
import SMTPSink
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// The notification service is killed under load, with a mail server that accepts every mail.
    struct OutboxKills {
        private static let senders = 8
        /// The most mails of one sender in one round.
        private static let mailsEach = 30
        private static let pause = Duration.milliseconds(5)
        /// Kills of one cluster; a long run starts several clusters.
        private static let killsOfCluster = 3
        /// `deliveries-max` (8) × `InFlightMessages.messagesPerPlace`: the most messages in flight.
        private static let inHandMax = 64
        private static let arrivesWithin = Duration.seconds(60)

        @Test(
            "N-03: every accepted mail arrives; only one in flight may arrive twice, unchanged")
        func kills() async throws {
            let killsWanted = SoakRounds.count(ordinarily: Self.killsOfCluster)
            var (mails, doubled, kills) = (0, 0, 0)
            while kills < killsWanted {
                let seed = UInt64(11 + kills)
                let (sent, twice) = try await round(seed)
                kills += Self.killsOfCluster
                mails += sent
                doubled += twice
            }
            Figures.tell("outbox kills: \(kills) kills, \(mails) mails, \(doubled) came twice")
        }

        /// - Returns: the number of accepted mails, and the number of them that arrived more than
        ///   once.
        private func round(_ seed: UInt64) async throws -> (Int, Int) {
            let sink = try SMTPSink()
            defer { sink.close() }
            let environment = [
                "POSTERN_SMTP_HOST": "127.0.0.1", "POSTERN_SMTP_PORT": "\(sink.port)",
                "POSTERN_SMTP_ENCRYPTION": "none",
            ]
            var counts = (0, 0)
            try await Cluster.with(environment: environment) { cluster in
                let sender = try Sender(cluster)
                defer { sender.close() }
                var accepted: [String] = []
                let randomness = SeededRandomness(seed: seed)
                for number in 0..<Self.killsOfCluster {
                    accepted += try await load(
                        "\(seed)-\(number)", sender, cluster,
                        killingAfter: .milliseconds(Int(randomness.next() % 250)))
                }
                counts = (accepted.count, try await check(accepted, sink, sender, seed))
            }
            return counts
        }

        /// Sends mails while the service is killed once.
        /// - Returns: the ids of the acknowledged messages.
        private func load(
            _ name: String, _ sender: Sender, _ cluster: Cluster, killingAfter moment: Duration
        ) async throws -> [String] {
            let isKilled = Flag()
            return try await withThrowingTaskGroup(of: [String].self) { group in
                for worker in 0..<Self.senders {
                    group.addTask {
                        var ids: [String] = []
                        var goesOn = true
                        while goesOn {
                            // Once more after the kill: its response shows that the service has
                            // restarted.
                            goesOn = !isKilled.isRaised && ids.count < Self.mailsEach
                            let key = "\(name)-\(worker)-\(ids.count)"
                            ids.append(try await sender.send(to: "k\(key)@example.org", key: key))
                            try await Task.sleep(for: Self.pause)
                        }
                        return ids
                    }
                }
                try await Task.sleep(for: moment)
                let runs = try await eventually {
                    cluster.processes["postern-notification"] != nil
                }
                #expect(runs)
                try cluster.crash("notification")
                isKilled.raise()
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }

        /// - Returns: the number of mails that arrived more than once.
        private func check(
            _ accepted: [String], _ sink: SMTPSink, _ sender: Sender, _ seed: UInt64
        ) async throws -> Int {
            #expect(Set(accepted).count == accepted.count)
            let haveArrived = try await eventually(within: Self.arrivesWithin) {
                Set(sink.mails.compactMap(\.messageID)).isSuperset(of: accepted)
            }
            let arrived = Dictionary(grouping: sink.mails) { $0.messageID ?? "" }
            let missing = accepted.filter { arrived[$0] == nil }
            #expect(haveArrived, "\(missing.count) never came, seed \(seed): \(missing.prefix(3))")
            let doubled = arrived.filter { $0.value.count > 1 }
            #expect(doubled.count <= Self.inHandMax * Self.killsOfCluster, "seed \(seed)")
            for (id, mails) in doubled {
                #expect(Set(mails.map(\.bytes)).count == 1, "\(id), seed \(seed)")
                // Two attempts mean that it was `sending` when its worker was killed.
                let attempts = try await sender.message(id)?.attempts ?? 0
                #expect(attempts >= mails.count, "\(id), seed \(seed)")
            }
            return doubled.count
        }
    }
}
