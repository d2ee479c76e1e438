import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// The kill of a program at some moment of what a person does.
    struct Kill {
        static let victims = BuiltPrograms.services + ["web"]

        let victim: String
        let person: Person
        /// The moment, as a part of the time that it takes undisturbed; some are after it.
        let part: Double
        /// For messages.
        let place: String

        /// A kill of each program in each round, each with a person of its own.
        /// - Parameter victims: those to kill, if not all.
        static func all(
            in rounds: Range<Int>, seed: UInt64, of victims: [String] = Kill.victims
        ) -> [Kill] {
            rounds.flatMap { round in
                let randomness = SeededRandomness(seed: seed &+ UInt64(round))
                return victims.enumerated().map { index, victim in
                    Kill(
                        victim: victim, person: Person(1 + round * victims.count + index),
                        part: Double(randomness.next() % 120) / 100,
                        place: "\(victim) in round \(round), seed \(seed)")
                }
            }
        }

        /// Runs `act`, of which `time` is the usual time, while the program is killed.
        /// - Returns: its value; nil if it failed.
        func outcome<Value: Sendable>(
            _ time: Duration, _ cluster: Cluster,
            _ act: @escaping @Sendable () async throws -> Value
        ) async throws -> Value? {
            let runs = try await eventually { cluster.processes["postern-\(victim)"] != nil }
            #expect(runs, "\(place)")
            // What its error was does not matter: the account is looked at afterwards.
            async let value = try? act()
            try await Task.sleep(for: time * part)
            try cluster.crash(victim)
            return await value
        }
    }
}
