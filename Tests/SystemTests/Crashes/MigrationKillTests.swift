import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Rounds in each of which identity is killed at a random moment of a merge, and from the second
    /// on another program too, in turn: three, or as many as `POSTERN_SOAK_ROUNDS` says.
    /// `POSTERN_SOAK_SEED` repeats the moments, but not the machine's own timing.
    struct MigrationKills {
        private static let rounds = SoakRounds.count(ordinarily: 3)
        private static let seed = SoakRounds.seed ?? 7
        /// Rounds of one cluster: those of a long run do not fit into the time of one test.
        private static let batchRounds = 20
        private static let batches = (rounds + batchRounds - 1) / batchRounds
        private static let others = BuiltPrograms.services.filter { $0 != "identity" } + ["web"]
        private static let documents = 60
        /// Calls that write documents take 50 at most.
        private static let writesMax = 50

        @Test(
            "G-16: killed at any moment of a merge, the account has every document once, and it ends",
            arguments: 0..<batches)
        func merge(batch: Int) async throws {
            try await StoryFixture.with(settings: ["POSTERN_GUEST_DATA": "ask"], byHTTP: true) {
                fixture in
                let undisturbed = try await prepared(Person(52_000), fixture)
                let begun = ContinuousClock.now
                let migration = try await chosen(undisturbed, fixture)
                let whole = try await undisturbed.app.ended(migration.migrationId)
                let time = ContinuousClock.now - begun
                try await expectMoved(whole, undisturbed, "undisturbed")
                let first = batch * Self.batchRounds
                for round in first..<min(first + Self.batchRounds, Self.rounds) {
                    try await kill(in: round, of: time, fixture)
                }
            }
        }

        /// Two people of one round: a guest with documents, who has signed in to an account.
        private struct Prepared {
            let guest: SignedInApp
            let app: SignedInApp
            let collision: GatewayV1.Collision
        }

        private static let names = (0..<documents).map { "d\($0)" }

        private func json(_ name: String) -> String { "{\"name\":\"\(name)\"}" }

        private func kill(
            in round: Int, of time: Duration, _ fixture: StoryFixture
        ) async throws {
            let randomness = SeededRandomness(seed: Self.seed &+ UInt64(round))
            let part = Double(randomness.next() % 120) / 100
            let victims =
                ["identity"] + (round == 0 ? [] : [Self.others[round % Self.others.count]])
            let place = "\(victims) in round \(round), seed \(Self.seed), at \(part)"
            let prepared = try await prepared(Person(52_001 + round), fixture)
            for victim in victims {
                let runs = try await eventually {
                    fixture.cluster.processes["postern-\(victim)"] != nil
                }
                #expect(runs, "\(place)")
            }
            // The app repeats the choice: the first one counts.
            async let chosen = chosen(prepared, fixture)
            try await Task.sleep(for: time * part)
            for victim in victims { try fixture.cluster.crash(victim) }
            let migration = try await chosen
            let ended = try await prepared.app.ended(migration.migrationId)
            try await expectMoved(ended, prepared, place)
            let again = try await retried { try await self.chosen(prepared, fixture) }
            #expect(again.migrationId == migration.migrationId, "\(place)")
        }

        private func prepared(_ person: Person, _ fixture: StoryFixture) async throws -> Prepared {
            let signedUp = try await retried { try await fixture.signUp(person) }
            #expect(signedUp.session != nil)
            let session = try await retried { try await fixture.guest(person) }.session
            let guest = SignedInApp(fixture, person, session)
            let writes = Self.names.map {
                GatewayV1.DocumentWrite(collection: "goals", name: $0, json: json($0))
            }
            for part in [writes.prefix(Self.writesMax), writes.dropFirst(Self.writesMax)] {
                _ = try await retried {
                    try await guest.backend.documents.writeDocuments(
                        .init(writes: Array(part)), guest.context())
                }
            }
            let signedIn = try await retried {
                try await fixture.backend.auth.signInWithPassword(
                    .init(
                        email: person.email, password: .init(text: Person.password),
                        device: person.gatewayDevice), guest.context())
            }
            return Prepared(
                guest: guest, app: SignedInApp(fixture, person, signedIn.session),
                collision: try #require(signedIn.collision))
        }

        private func chosen(
            _ prepared: Prepared, _ fixture: StoryFixture
        ) async throws -> GatewayV1.Migration {
            let answer = try await retried {
                try await fixture.backend.guests.chooseGuestData(
                    .init(choiceToken: prepared.collision.choiceToken, choice: .merge),
                    prepared.app.context())
            }
            return try #require(answer.migration)
        }

        /// Each document is there, written once, and the guest is gone.
        private func expectMoved(
            _ migration: GatewayV1.Migration, _ prepared: Prepared, _ place: String
        ) async throws {
            #expect(migration.state == .succeeded, "\(place): \(migration)")
            #expect(
                migration.documents == Self.documents && migration.done == Self.documents,
                "\(place): \(migration)")
            let list = try await retried {
                try await prepared.app.backend.documents.listDocuments(
                    .init(withJson: true), prepared.app.context()
                ).documents
            }
            #expect(Set(list.map(\.name)) == Set(Self.names), "\(place): lost or another")
            #expect(list.count == Self.documents, "\(place): doubled")
            #expect(list.allSatisfy { $0.version == 1 }, "\(place): written twice")
            #expect(list.allSatisfy { $0.json == json($0.name) }, "\(place)")
            let isGone = try await eventually(within: .seconds(30)) {
                try await !prepared.guest.isSignedIn()
            }
            #expect(isGone, "\(place): the guest")
        }
    }
}
