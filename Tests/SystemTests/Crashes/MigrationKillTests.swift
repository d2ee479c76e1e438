import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Rounds in each of which identity is killed at a random moment of a merge or of a bundle's
    /// upload, alternately, and from the second on another program too, in turn: three, or as many as
    /// `POSTERN_SOAK_ROUNDS` says.
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
        /// The app repeats an upload while a program is away, and the person's limit is not what is
        /// tested.
        private static let limits = "guest-bundle-by-account-count: 64\n"

        @Test(
            "G-16: killed at any moment of a merge or an upload, every document is there once",
            arguments: 0..<batches)
        func migrate(batch: Int) async throws {
            let settings = ["POSTERN_GUEST_DATA": "ask"]
            try await StoryFixture.with(limits: Self.limits, settings: settings, byHTTP: true) {
                fixture in
                var times: [Way: Duration] = [:]
                for (number, way) in Way.allCases.enumerated() {
                    let undisturbed = try await prepared(way, Person(51_990 + number), fixture)
                    let begun = ContinuousClock.now
                    let migration = try await begin(undisturbed, fixture)
                    let whole = try await undisturbed.app.ended(migration)
                    times[way] = ContinuousClock.now - begun
                    try await expectMoved(whole, undisturbed, "\(way), undisturbed")
                }
                let first = batch * Self.batchRounds
                for round in first..<min(first + Self.batchRounds, Self.rounds) {
                    let way = Way.allCases[round % Way.allCases.count]
                    try await kill(in: round, way, of: try #require(times[way]), fixture)
                }
            }
        }

        /// How a guest's documents come into the account.
        private enum Way: CaseIterable { case merge, bundle }

        /// The account of one round, and how its guest's documents come into it.
        private struct Prepared {
            let app: SignedInApp
            /// The guest that is merged, and the choice about it; nil for a bundle.
            let merge: (guest: SignedInApp, collision: GatewayV1.Collision)?
        }

        private static let names = (0..<documents).map { "d\($0)" }

        private static func json(_ name: String) -> String { "{\"name\":\"\(name)\"}" }

        private func kill(
            in round: Int, _ way: Way, of time: Duration, _ fixture: StoryFixture
        ) async throws {
            let randomness = SeededRandomness(seed: Self.seed &+ UInt64(round))
            let part = Double(randomness.next() % 120) / 100
            let victims =
                ["identity"] + (round == 0 ? [] : [Self.others[round % Self.others.count]])
            let place = "\(way), \(victims) in round \(round), seed \(Self.seed), at \(part)"
            let prepared = try await prepared(way, Person(52_001 + round), fixture)
            for victim in victims {
                let runs = try await eventually {
                    fixture.cluster.processes["postern-\(victim)"] != nil
                }
                #expect(runs, "\(place)")
            }
            // The app repeats the choice or the upload: the first one counts.
            async let begun = begin(prepared, fixture)
            try await Task.sleep(for: time * part)
            for victim in victims { try fixture.cluster.crash(victim) }
            let migration = try await begun
            let ended = try await prepared.app.ended(migration)
            try await expectMoved(ended, prepared, place)
            let again = try await begin(prepared, fixture)
            #expect(again == migration, "\(place)")
        }

        private func prepared(
            _ way: Way, _ person: Person, _ fixture: StoryFixture
        ) async throws -> Prepared {
            let signedUp = try await retried { try await fixture.signUp(person) }
            #expect(signedUp.session != nil)
            guard way == .merge else {
                return Prepared(app: SignedInApp(fixture, person, signedUp.session), merge: nil)
            }
            let session = try await retried { try await fixture.guest(person) }.session
            let guest = SignedInApp(fixture, person, session)
            let writes = Self.names.map {
                GatewayV1.DocumentWrite(collection: "goals", name: $0, json: Self.json($0))
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
                app: SignedInApp(fixture, person, signedIn.session),
                merge: (guest, try #require(signedIn.collision)))
        }

        /// Chooses the merge, or uploads the bundle, until an answer comes.
        /// - Returns: the migration's id.
        private func begin(
            _ prepared: Prepared, _ fixture: StoryFixture
        ) async throws -> String {
            guard let merge = prepared.merge else {
                return try await upload(in: prepared.app, fixture)
            }
            let answer = try await retried {
                try await fixture.backend.guests.chooseGuestData(
                    .init(choiceToken: merge.collision.choiceToken, choice: .merge),
                    prepared.app.context())
            }
            return try #require(answer.migration).migrationId
        }

        private func upload(in app: SignedInApp, _ fixture: StoryFixture) async throws -> String {
            let web = try WebClient(fixture.cluster)
            let context = app.context(key: "bundle-\(app.person.device)-once-and-again")
            let documents: [[String: Any]] = Self.names.map {
                [
                    "collection": "goals", "name": $0, "json": Self.json($0),
                    "changedAtMs": "1700000000000",
                ]
            }
            return try await retried { try await web.putGuestBundle(documents, context) }
                .migrationId
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
            #expect(list.allSatisfy { $0.json == Self.json($0.name) }, "\(place)")
            guard let guest = prepared.merge?.guest else { return }
            let isGone = try await eventually(within: .seconds(30)) {
                try await !guest.isSignedIn()
            }
            #expect(isGone, "\(place): the guest")
        }
    }
}
