import Cryptography
import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

extension SystemTests {
    @Suite("Five hundred sign-ins at once")
    struct SignInRush {
        private static let comers = 500
        /// The number of them with an account; for the others a password is hashed all the same.
        private static let accounts = SoakRounds.isLong ? 200 : 20
        private static let visitors = 10
        private static let rounds = SoakRounds.isLong ? 5 : 3
        private static let timeout = Duration.seconds(30)
        /// The highest allowed ratio of the refreshes' p99 in the best round. The goal is 2, and
        /// the printed figures of a release build are compared with it. In a debug build on a
        /// shared machine, the sign-ins keep the gateway itself busy.
        private static let ratioMax = 20.0
        /// Memory of identity for calls and responses, besides that of the hashes.
        private static let otherBytesMax = 32 << 20

        @Test(
            "SECURITY.md, Load: hashes stay within the pool's memory, and refreshes stay fast"
        )
        func rush() async throws {
            try await Cluster.with { cluster in
                let backend = try LoadBackend(cluster)
                let visitors = try await Visitor.signUp(1..<Self.visitors + 1, backend)
                let people = (100..<100 + Self.comers).map { Person($0) }
                for person in people.prefix(Self.accounts) {
                    _ = try await backend.signUp(person, key: person.email, timeout: Self.timeout)
                }
                let identity = try #require(cluster.processes["postern-identity"])
                let before = try ProcessMemory.resident(identity)
                var ratios: [Double] = []
                for _ in 0..<Self.rounds where Self.goesOn(ratios) {
                    ratios.append(try await round(visitors, people, backend))
                }
                let growth = try ProcessMemory.peak(identity) - before
                Figures.tell("sign-in-rush-identity-growth", Double(growth >> 20), "MiB")
                #expect(growth < Self.poolBytes + Self.otherBytesMax)
                #expect(try #require(ratios.min()) <= Self.ratioMax)
                backend.close()
            }
        }

        /// A long run prints every round; an ordinary run only repeats a round that was slow.
        private static func goesOn(_ ratios: [Double]) -> Bool {
            SoakRounds.isLong || ratios.allSatisfy { $0 > ratioMax }
        }

        /// The memory of the pool's threads while they hash.
        private static var poolBytes: Int {
            let settings = PasswordHashPool.Settings()
            return settings.threads * settings.parameters.memoryKiB << 10
        }

        /// The visitors' refreshes alone, and during a burst of sign-ins.
        /// - Returns: the ratio of their p99 during the burst to the one before.
        private func round(
            _ visitors: [Visitor], _ people: [Person], _ backend: LoadBackend
        ) async throws -> Double {
            let alone = await refreshes(of: visitors, backend) {
                // Ignored: on cancellation the sample is short.
                try? await Task.sleep(for: .seconds(1))
            }
            let outcomes = RushOutcomes()
            let beside = await refreshes(of: visitors, backend) {
                await withTaskGroup(of: Void.self) { tasks in
                    for person in people {
                        tasks.addTask { outcomes.record(await Self.signIn(person, backend)) }
                    }
                }
            }
            let all = outcomes.all
            #expect(all.others.isEmpty, "\(all.others.prefix(3))")
            #expect(all.hashed > 0 && all.refused > 0, "\(all)")
            let (before, after) = (
                Figures.percentile(99, of: alone), Figures.percentile(99, of: beside)
            )
            Figures.tell(
                """
                sign-in rush: \(all.hashed) hashed, \(all.refused) refused; \
                \(alone.count) refreshes alone, \(beside.count) beside
                """)
            Figures.tell("sign-in-rush-refresh-p99-alone", before)
            Figures.tell("sign-in-rush-refresh-p99", after)
            Figures.tell("sign-in-rush-refresh-p99-to-alone", after / before, "×")
            return after / before
        }

        /// Each visitor refreshes repeatedly while `body` runs.
        /// - Returns: the time that each refresh took.
        private func refreshes(
            of visitors: [Visitor], _ backend: LoadBackend, while body: @Sendable () async -> Void
        ) async -> [Duration] {
            let records = CallRecords()
            let over = Flag()
            await withTaskGroup(of: Void.self) { tasks in
                for visitor in visitors {
                    tasks.addTask {
                        repeat {
                            _ = await visitor.refresh(backend, records, timeout: Self.timeout)
                            // Ignored: on cancellation the loop ends.
                            try? await Task.sleep(for: .milliseconds(10))
                        } while !over.isRaised
                    }
                }
                await body()
                over.raise()
            }
            for record in records.all { #expect(record.error == nil, "\(record)") }
            return records.all.map(\.elapsed)
        }

        private static func signIn(_ person: Person, _ backend: LoadBackend) async -> (any Error)? {
            do {
                _ = try await backend.signIn(person, timeout: timeout)
                return nil
            } catch {
                return error
            }
        }
    }
}

/// The outcomes of the concurrent sign-ins.
private final class RushOutcomes: Sendable {
    struct Counts {
        /// Sign-ins with a hashed password, with or without an account.
        var hashed = 0
        /// Sign-ins that were refused with `retry_after_ms`.
        var refused = 0
        /// Unexpected errors.
        var others: [any Error] = []
    }

    private let counts = Mutex(Counts())

    var all: Counts { counts.withLock { $0 } }

    func record(_ error: (any Error)?) {
        counts.withLock { counts in
            guard let error else {
                counts.hashed += 1
                return
            }
            let known = error as? ServiceError
            switch known?.code {
            case .invalidCredential: counts.hashed += 1
            case .resourceExhausted where known?.retryAfter != nil: counts.refused += 1
            default: counts.others.append(error)
            }
        }
    }
}
