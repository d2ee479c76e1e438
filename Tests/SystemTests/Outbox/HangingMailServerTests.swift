import Foundation
import SMTPSink
import TestSupport
import Testing

extension SystemTests {
    @Suite("A mail server that hangs")
    struct HangingMailServer {
        /// People of one round; each signs up and signs in.
        private static let people = SoakRounds.isLong ? 60 : 12
        private static let rounds = SoakRounds.isLong ? 5 : 2
        /// How many times longer the p99 may be in the best round. The goal is 1.1, to which the
        /// printed figures of a long run are held; a dozen calls on a shared machine say less.
        private static let ratioMax = SoakRounds.isLong ? 2.0 : 4.0
        private static let arrivesWithin = Duration.seconds(60)

        @Test("security.md, Load: sign-up and sign-in do not wait for it, and the mails come later")
        func hangs() async throws {
            let sink = try SMTPSink()
            defer { sink.close() }
            let environment = [
                "POSTERN_SMTP_HOST": "127.0.0.1", "POSTERN_SMTP_PORT": "\(sink.port)",
                "POSTERN_SMTP_ENCRYPTION": "none", "POSTERN_DELIVERY_TIMEOUT": "2s",
            ]
            try await Cluster.with(environment: environment) { cluster in
                let backend = try Backend(cluster)
                var ratios: [Double] = []
                var next = 1
                // The first calls make connections and caches.
                _ = try await calls(of: next..<next + 4, backend)
                next += 4
                for _ in 0..<Self.rounds
                where SoakRounds.isLong || ratios.allSatisfy({ $0 > Self.ratioMax }) {
                    sink.script.ending = .answer("250 taken")
                    let before = try await calls(of: next..<next + Self.people, backend)
                    next += Self.people
                    sink.script.ending = .stall
                    let after = try await calls(of: next..<next + Self.people, backend)
                    next += Self.people
                    ratios.append(
                        Figures.percentile(99, of: after) / Figures.percentile(99, of: before))
                    Figures.tell(
                        """
                        hanging mail server: p99 \(Figures.percentile(99, of: before)) before, \
                        \(Figures.percentile(99, of: after)) with it, \(before.count) calls each
                        """)
                }
                #expect(try #require(ratios.min()) <= Self.ratioMax, "\(ratios)")
                sink.script.ending = .answer("250 taken")
                let wanted = (1..<next).map { Person($0).email }
                let haveCome = try await eventually(within: Self.arrivesWithin) {
                    let to = sink.mails.map(\.to)
                    return wanted.allSatisfy { email in to.contains { $0.contains(email) } }
                }
                #expect(haveCome)
                backend.close()
            }
        }

        /// Has people sign up and in, one after the other.
        /// - Returns: how long each call took.
        private func calls(of numbers: Range<Int>, _ backend: Backend) async throws -> [Duration] {
            var taken: [Duration] = []
            for number in numbers {
                let person = Person(number)
                taken.append(
                    try await ContinuousClock().measure {
                        _ = try await backend.signUp(person, key: person.email)
                    })
                taken.append(
                    try await ContinuousClock().measure { _ = try await backend.signIn(person) })
            }
            return taken
        }
    }
}
