import Foundation
import SMTPSink
import TestSupport
import Testing

extension SystemTests {
    @Suite("A mail server that hangs")
    struct HangingMailServer {
        /// People of one round; each signs up and signs in.
        private static let people = 12
        /// Rounds alternate between a mail server that answers and one that hangs.
        private static let rounds = SoakRounds.isLong ? 60 : 4
        /// The highest allowed ratio of the p99 of all rounds. The goal is 1.1, and the printed
        /// figures of a long run are compared with it. Of a few dozen calls the p99 is the longest,
        /// so that one stall of the machine would decide: then it is the ratio of the medians.
        private static let ratioMax = SoakRounds.isLong ? 1.5 : 4.0
        private static let percentCompared = SoakRounds.isLong ? 99 : 50
        private static let arrivesWithin = Duration.seconds(60)

        @Test(
            "SECURITY.md, Load: sign-up and sign-in do not wait for it, and the mails arrive later")
        func hangs() async throws {
            let sink = try SMTPSink()
            defer { sink.close() }
            let environment = [
                "POSTERN_SMTP_HOST": "127.0.0.1", "POSTERN_SMTP_PORT": "\(sink.port)",
                "POSTERN_SMTP_ENCRYPTION": "none", "POSTERN_DELIVERY_TIMEOUT": "2s",
            ]
            try await Cluster.with(environment: environment) { cluster in
                let backend = try LoadBackend(cluster)
                // The first calls open connections and fill caches.
                _ = try await calls(of: 1..<5, backend)
                var next = 5
                var (answering, hanging): ([Duration], [Duration]) = ([], [])
                for round in 0..<Self.rounds {
                    let hangs = round % 2 == 1
                    sink.script.ending = hangs ? .stall : .answer("250 taken")
                    let taken = try await calls(of: next..<next + Self.people, backend)
                    next += Self.people
                    if hangs { hanging += taken } else { answering += taken }
                }
                let ratio =
                    Figures.percentile(Self.percentCompared, of: hanging)
                    / Figures.percentile(Self.percentCompared, of: answering)
                for percent in [50, 90, 99] {
                    Figures.tell(
                        """
                        hanging mail server: p\(percent) \(Figures.percentile(percent, of: hanging)) \
                        with it, \(Figures.percentile(percent, of: answering)) without, \
                        \(hanging.count) calls each
                        """)
                }
                #expect(ratio <= Self.ratioMax, "p\(Self.percentCompared) \(ratio) times as long")
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

        /// Signs people up and in, one after the other.
        /// - Returns: the time that each call took.
        private func calls(of numbers: Range<Int>, _ backend: LoadBackend) async throws
            -> [Duration]
        {
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
