import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Rounds in each of which a program is killed in each step of a deletion, and the two that only
    /// relay its request at a random moment of that: one, or as many as `POSTERN_SOAK_ROUNDS` says.
    /// Four rounds have killed each of the four services in each step. `POSTERN_SOAK_SEED` repeats
    /// the moments, but not the machine's own timing.
    @Suite(.enabled(if: TestStore.runs("*Kills")))
    struct DeletionKills {
        private static let rounds = SoakRounds.count(ordinarily: 1)
        private static let seed = SoakRounds.seed ?? 7
        /// Rounds of one cluster: those of a long run do not fit into the time of one test.
        private static let batchRounds = 5
        private static let batches = (rounds + batchRounds - 1) / batchRounds
        /// The numbers of `DeletionStep`.
        private static let steps = 1...11
        private static let victims = ["identity", "session", "notification", "rate-limit"]
        /// People of a round, each with an address of its own.
        private static let peopleEach = 20

        @Test(
            "G-20: killed in any step of a deletion, it ends as if nothing had happened",
            arguments: 0..<batches)
        func deletion(batch: Int) async throws {
            try await StoryFixture.with(byHTTP: true) { fixture in
                let usual = try await undisturbed(fixture)
                var hits = 0
                let first = batch * Self.batchRounds
                let rounds = first..<min(first + Self.batchRounds, Self.rounds)
                for round in rounds {
                    let randomness = SeededRandomness(seed: Self.seed &+ UInt64(round))
                    for step in Self.steps {
                        let part = Double(randomness.next() % 100) / 100
                        let victim = Self.victims[(step + round) % Self.victims.count]
                        let person = Person(50_000 + round * Self.peopleEach + step)
                        let isHit = try await kill(
                            victim, in: step, of: usual, at: round % 2 == 0 ? 0 : part, part,
                            person, fixture)
                        hits += isHit ? 1 : 0
                    }
                }
                Figures.tell(
                    "kills of deletions: \(hits) of \(rounds.count * Self.steps.count) in the step")
                #expect(hits > 0, "each kill was after the last step")
            }
        }

        @Test(
            "G-20: killed during the request of a deletion, it ends as if nothing had happened",
            arguments: 0..<batches)
        func request(batch: Int) async throws {
            try await StoryFixture.with(byHTTP: true) { fixture in
                let ada = try await Deleting(Person(50_001), fixture)
                let begun = ContinuousClock.now
                try await ada.app.delete()
                let time = ContinuousClock.now - begun
                try await ada.expectEnd("undisturbed")
                let first = batch * Self.batchRounds
                let rounds = first..<min(first + Self.batchRounds, Self.rounds)
                for kill in Kill.all(in: rounds, seed: Self.seed, of: ["gateway", "web"]) {
                    let deleting = try await Deleting(kill.person, fixture)
                    let outcome = try await kill.outcome(time, fixture.cluster) {
                        try await deleting.app.delete()
                    }
                    if outcome == nil { try await deleting.repeated() }
                    try await deleting.expectEnd(kill.place)
                }
            }
        }

        /// The steps of a deletion without a kill.
        private func undisturbed(_ fixture: StoryFixture) async throws -> StepWatch {
            let ada = try await Deleting(Person(50_000), fixture)
            let watch = try await StepWatch(of: ada.number, fixture.cluster) {
                try await ada.app.delete()
            }
            Figures.tell("steps of a deletion: \(watch.begun.keys.sorted()) seen")
            try await ada.expectEnd("undisturbed")
            return watch
        }

        /// Kills a program in a step, at a part of the step's time; or at a part of the time of all
        /// steps, if this one is too short to be seen.
        /// - Returns: whether it was in that step.
        private func kill(
            _ victim: String, in step: Int, of usual: StepWatch, at part: Double,
            _ partOfAll: Double, _ person: Person, _ fixture: StoryFixture
        ) async throws -> Bool {
            let deleting = try await Deleting(person, fixture)
            let time = usual.time(of: step)
            let delay = time.map { $0 * part } ?? (usual.whole ?? .milliseconds(50)) * partOfAll
            let place = "\(victim) in step \(step), \(person.email), seed \(Self.seed), \(delay)"
            let runs = try await eventually {
                fixture.cluster.processes["postern-\(victim)"] != nil
            }
            try #require(runs, "\(place)")
            let process = try #require(fixture.cluster.processes["postern-\(victim)"])
            let watch = try await StepWatch(
                of: deleting.number, fixture.cluster, killing: process,
                in: time == nil ? 1 : step, after: delay
            ) {
                // What was killed may be away before the answer is sent.
                do { try await deleting.app.delete() } catch { try await deleting.repeated() }
            }
            try await deleting.expectEnd(place)
            return watch.killedIn == step
        }
    }

    /// An account that is deleted while a program is killed.
    private struct Deleting {
        private static let lastMail = "This is the last email about it"

        let app: SignedInApp
        let number: Int64
        private let account: String
        private let stored: StoredAccount
        private let fixture: StoryFixture

        /// Signs up, verifies the address, and stores documents, a photo and a push device.
        init(_ person: Person, _ fixture: StoryFixture) async throws {
            self.fixture = fixture
            let signedUp = try await retried { try await fixture.signUp(person) }
            let app = SignedInApp(fixture, person, signedUp.session)
            let account = signedUp.account?.accountId ?? ""
            (self.app, self.account) = (app, account)
            number = try #require(AccountID(text: account)).key
            let token = try await fixture.linkToken(to: person.email, page: "verify-email")
            _ = try await retried {
                try await fixture.backend.auth.verifyEmail(
                    .init(token: token, device: person.gatewayDevice), app.context())
            }
            for name in ["a", "b"] {
                _ = try await retried { try await app.write("settings", "{}", name: name) }
            }
            let photo = TestPhoto.jpeg(seed: UInt64(number))
            let web = try WebClient(fixture.cluster)
            try await retried {
                let uploaded = try await web.putPhoto(photo, app.context())
                guard uploaded.status == 200 else { throw try uploaded.failure() }
            }
            let device = try await retried {
                try await fixture.cluster.registerPush(
                    "token-of-\(account)", of: account,
                    session: signedUp.session?.sessionId ?? "")
            }
            var stored = try StoredAccount(account, device)
            stored.read(try await fixture.cluster.cells())
            self.stored = stored
        }

        /// Repeats a request that was not answered, as an app does. If the deletion has begun, the
        /// session has ended.
        func repeated() async throws {
            do {
                _ = try await retried { try await app.delete() }
            } catch let error as ServiceError {
                let ended: Set<ErrorCode> = [.sessionEnded, .invalidAccessToken, .accountDisabled]
                guard ended.contains(error.code) else { throw error }
            }
        }

        /// Nothing of the account is left in any service, it was deleted once, its owner has one mail
        /// about it, and the address signs up again.
        func expectEnd(_ place: String) async throws {
            let (cluster, person) = (fixture.cluster, app.person)
            var (left, cells): ([String], [StoredCell]) = (["no answer"], [])
            let isOver = try await eventually(within: .seconds(60)) {
                cells = try await cluster.cells()
                left = stored.left(in: cells)
                return left.isEmpty && cluster.blobs.isEmpty
            }
            #expect(isOver, "\(place): \(left) \(cluster.blobs)")
            for kind in ["account.deletion-begun", "account.deleted"] {
                #expect(cells.audited(kind, number) == 1, "\(place): \(kind)")
            }
            #expect(try await app.isToldGone(), "\(place)")
            _ = try await fixture.letter(to: person.email, saying: Self.lastMail)
            let refused = try await refusal {
                try await retried { try await fixture.signIn(person) }
            }
            #expect(refused.code == .invalidCredential, "\(place)")
            let again = try await retried { try await fixture.signUp(person) }
            #expect(again.account?.accountId != account, "\(place)")
            let mails = fixture.messages(to: person.email, saying: Self.lastMail)
            #expect(mails.count == 1, "\(place): \(mails)")
        }
    }
}

extension [StoredCell] {
    /// How many events of a kind identity's audit trail has of an account.
    func audited(_ kind: String, _ account: Int64) -> Int {
        let rows = Dictionary(
            grouping: filter { $0.row.place == "identity.audit" }, by: \.row)
        return rows.values.count { cells in
            cells.contains { $0.column == "kind" && $0.value == .text(kind) }
                && cells.contains { $0.column == "account" && $0.value == .number(account) }
        }
    }
}
