import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Rounds in each of which identity is killed at a random moment of each step of a person's
    /// passkey: two, or as many as `POSTERN_SOAK_ROUNDS` says. `POSTERN_SOAK_SEED` repeats the
    /// moments, but not the machine's own timing.
    struct PasskeyKills {
        private static let rounds = SoakRounds.count(ordinarily: 2)
        private static let seed = SoakRounds.seed ?? 11
        /// Rounds of one cluster: those of a long run do not fit into the time of one test.
        private static let batchRounds = 20
        private static let batches = (rounds + batchRounds - 1) / batchRounds

        @Test(
            "F-01: killed in any step of a passkey, there is one, and a record of each act",
            arguments: 0..<batches)
        func steps(batch: Int) async throws {
            try await StoryFixture.with(limits: StoryFixture.generousLimits) { fixture in
                let usual = try await PasskeyOwner(Person(52_500), fixture).run { _, act in
                    let begun = ContinuousClock.now
                    try await act()
                    return ContinuousClock.now - begun
                }
                let first = batch * Self.batchRounds
                for round in first..<min(first + Self.batchRounds, Self.rounds) {
                    let randomness = SeededRandomness(seed: Self.seed &+ UInt64(round))
                    let owner = PasskeyOwner(Person(52_501 + round), fixture)
                    _ = try await owner.run { step, act in
                        let kill = Kill(
                            victim: "identity", person: owner.person,
                            part: Double(randomness.next() % 120) / 100,
                            place: "\(step) in round \(round), seed \(Self.seed)")
                        // An answer that is lost is asked for again.
                        let time = usual[step] ?? .zero
                        _ = try await kill.outcome(time, fixture.cluster, act)
                        return time
                    }
                }
            }
        }
    }

    /// The calls of a person who adds a passkey, uses it for all that it is for, and removes it.
    private enum PasskeyStep {
        case add, signIn, prove, complete, rename, remove
    }

    /// A person whose app makes each call under a key, while identity may be killed.
    private struct PasskeyOwner: Sendable {
        /// A call. What it answers is kept elsewhere.
        typealias Act = @Sendable () async throws -> Void
        /// Makes the call of a step, which may not be answered.
        /// - Returns: how long it took.
        typealias Make = (PasskeyStep, _ act: @escaping Act) async throws -> Duration

        let person: Person
        let fixture: StoryFixture

        init(_ person: Person, _ fixture: StoryFixture) {
            self.person = person
            self.fixture = fixture
        }

        /// Goes through all steps.
        /// - Returns: how long each took.
        func run(_ make: Make) async throws -> [PasskeyStep: Duration] {
            var took: [PasskeyStep: Duration] = [:]
            let signedUp = try await retried { try await fixture.signUp(person) }
            var own = SignedInApp(fixture, person, signedUp.session)
            let passkey = try OwnersPasskey(fixture)
            let id = try await add(passkey, own) { took[.add] = try await make(.add, $0) }
            try await expect(["passkey.added": 1], id, own)

            let opened = try await signIn(by: passkey) {
                took[.signIn] = try await make(.signIn, $0)
            }
            try await expectSessions(2, with: opened, own, begun: 2)
            try await prove(by: passkey, own) { took[.prove] = try await make(.prove, $0) }

            own = try await fixture.protect(own).signedIn
            let completed = try await complete(by: passkey) {
                took[.complete] = try await make(.complete, $0)
            }
            try await expectSessions(2, with: completed, own, begun: 3)

            try await rename(id, own) { took[.rename] = try await make(.rename, $0) }
            try await expect(["passkey.renamed": 1, "passkey.added": 1], id, own)
            try await remove(id, own) { took[.remove] = try await make(.remove, $0) }
            try await expect(["passkey.removed": 1, "passkey.added": 1], nil, own)
            try await expectSessions(1, with: own.session?.sessionId ?? "", own, begun: 3)
            return took
        }

        // MARK: Steps

        private func answer<Value: Equatable & Sendable>(
            _ step: PasskeyStep, by make: (@escaping Act) async throws -> Void,
            _ call: @escaping @Sendable (_ key: String) async throws -> Value
        ) async throws -> Value {
            try await SystemTests.Crashes.KeyedCall(key: "\(step) of \(person.email)", call: call)
                .answer(by: make)
        }

        private func add(
            _ passkey: OwnersPasskey, _ own: SignedInApp,
            by make: (@escaping Act) async throws -> Void
        ) async throws -> String {
            let (passkeys, device) = (fixture.backend.passkeys, person.gatewayDevice)
            let options = try await retried {
                try await passkeys.beginPasskeyAdd(.init(), own.context()).options
            }
            let made = passkey.registration(options)
            return try await answer(.add, by: make) { key in
                try await passkeys.addPasskey(
                    .init(credential: made, device: device), own.context(key: key)
                ).passkey?.passkeyId ?? ""
            }
        }

        private func signIn(
            by passkey: OwnersPasskey, by make: (@escaping Act) async throws -> Void
        ) async throws -> String {
            let (person, fixture) = (person, fixture)
            let signature = try await retried {
                try await fixture.signature(by: passkey, of: person)
            }
            return try await answer(.signIn, by: make) { key in
                try await fixture.signIn(person, by: signature, key: key).session?.sessionId ?? ""
            }
        }

        private func prove(
            by passkey: OwnersPasskey, _ own: SignedInApp,
            by make: (@escaping Act) async throws -> Void
        ) async throws {
            let (backend, device) = (fixture.backend, person.gatewayDevice)
            let options = try await retried {
                try await backend.passkeys.beginPasskeyProof(.init(device: device), own.context())
                    .options
            }
            let signature = try passkey.signature(options)
            let provedAt = try await answer(.prove, by: make) { key in
                try await backend.sessions.reauthenticate(
                    .init(device: device, proof: .passkey(signature)), own.context(key: key)
                ).authenticatedAtMs
            }
            #expect(provedAt > 0, "\(person.email)")
        }

        private func complete(
            by passkey: OwnersPasskey, by make: (@escaping Act) async throws -> Void
        ) async throws -> String {
            let (person, fixture) = (person, fixture)
            let challenge = try await fixture.challenge { try await fixture.signIn(person) }
            let signature = try await fixture.signature(by: passkey, of: person, for: challenge)
            return try await answer(.complete, by: make) { key in
                try await fixture.complete(challenge, .passkey(signature), of: person, key: key)
                    .session?.sessionId ?? ""
            }
        }

        private func rename(
            _ id: String, _ own: SignedInApp, by make: (@escaping Act) async throws -> Void
        ) async throws {
            let passkeys = fixture.backend.passkeys
            let name = try await answer(.rename, by: make) { key in
                try await passkeys.renamePasskey(
                    .init(passkeyId: id, name: "Ada's phone"), own.context(key: key)
                ).passkey?.name ?? ""
            }
            #expect(name == "Ada's phone", "\(person.email)")
        }

        private func remove(
            _ id: String, _ own: SignedInApp, by make: (@escaping Act) async throws -> Void
        ) async throws {
            let (passkeys, device) = (fixture.backend.passkeys, person.gatewayDevice)
            let left = try await answer(.remove, by: make) { key in
                try await passkeys.removePasskey(
                    .init(passkeyId: id, device: device), own.context(key: key)
                ).passkeys.count
            }
            #expect(left == 0, "\(person.email)")
        }

        // MARK: What is left

        /// No passkey is without its record, and each act was recorded once.
        private func expect(
            _ records: [String: Int], _ id: String?, _ own: SignedInApp
        ) async throws {
            let listed = try await retried { try await fixture.passkeys(own.session, of: person) }
            #expect(listed.map(\.passkeyId) == (id.map { [$0] } ?? []), "\(person.email)")
            for (kind, count) in records {
                let recorded = try await fixture.trail(kind, of: person)
                #expect(recorded == count, "\(person.email): \(kind)")
            }
        }

        /// No session is without its record.
        /// - Parameter begun: all sessions that were opened, those that have ended too.
        private func expectSessions(
            _ count: Int, with session: String, _ own: SignedInApp, begun: Int
        ) async throws {
            let isThere = try await eventually {
                let sessions = try await retried {
                    try await fixture.sessions(own.session, of: person)
                }
                return sessions.count == count && sessions.contains { $0.sessionId == session }
            }
            #expect(isThere, "\(person.email): \(count) sessions")
            let recorded = try await fixture.trail("session.started", of: person)
            #expect(recorded == begun, "\(person.email): sessions")
        }
    }
}
