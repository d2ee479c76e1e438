import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Passkeys at two gateways at once")
    struct PasskeyRaces {
        private static let calls = 64
        private static let additions = 20
        /// The most passkeys of an account.
        private static let quota = 20
        private static let removals = 5
        /// All calls are from one address.
        private static let limits =
            StoryFixture.generousLimits + "failed-passkey-by-address:\n  shadow: true\n"

        @Test("F-01: of 64 sign-ins with one signature, at two gateways, one opens a session")
        func oneSignature() async throws {
            try await Self.with { fixture, gateways in
                let ada = Person(52_301)
                let own = SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
                let passkey = try OwnersPasskey(fixture)
                try await fixture.add(passkey, in: own)
                let signature = try await fixture.signature(by: passkey, of: ada)
                let opened = try await Self.atOnce(
                    Self.calls, gateways, refused: [.invalidPasskey]
                ) { gateway, _ in
                    try await gateway.signInWithPasskey(
                        .init(credential: signature, device: ada.gatewayDevice),
                        fixture.backend.context(ada, timeout: .seconds(30))
                    ).session?.sessionId ?? ""
                }
                #expect(opened.count == 1)
                let sessions = try await fixture.sessions(own.session, of: ada)
                #expect(sessions.count == 2)
                #expect(sessions.contains { $0.sessionId == opened.first })
            }
        }

        @Test("F-01: of 20 additions beside 19 passkeys, at two gateways, one is written")
        func lastPlace() async throws {
            try await Self.with { fixture, gateways in
                let ada = Person(52_302)
                let own = SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
                for _ in 1..<Self.quota {
                    try await fixture.add(try OwnersPasskey(fixture), in: own)
                }
                var requests: [GatewayV1.AddPasskeyRequest] = []
                for _ in 0..<Self.additions {
                    let options = try await fixture.backend.passkeys.beginPasskeyAdd(
                        .init(), own.context()
                    ).options
                    requests.append(
                        .init(
                            credential: try OwnersPasskey(fixture).registration(options),
                            device: ada.gatewayDevice))
                }
                let additions = requests
                let added = try await Self.atOnce(
                    additions.count, gateways, refused: [.passkeyQuota]
                ) { gateway, number in
                    try await gateway.addPasskey(
                        additions[number], own.context(timeout: .seconds(30))
                    ).passkey?.passkeyId ?? ""
                }
                #expect(added.count == 1)
                let passkeys = try await fixture.passkeys(own.session, of: ada)
                #expect(passkeys.count == Self.quota)
                #expect(passkeys.contains { $0.passkeyId == added.first })
                #expect(try await fixture.trail("passkey.added", of: ada) == Self.quota)
            }
        }

        /// Attack: the owner removes a stolen passkey, while its thief signs in by one instance of
        /// the services and the owner acts by another.
        @Test("F-01: a removal beside 64 sign-ins, at two gateways, leaves no session of it")
        func removal() async throws {
            try await Self.with { fixture, gateways in
                let ada = Person(52_303)
                let own = SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
                for round in 0..<Self.removals {
                    let stolen = try OwnersPasskey(fixture)
                    let added = try await fixture.add(stolen, in: own).passkey?.passkeyId ?? ""
                    let opened = try await race(stolen, added, of: own, gateways, fixture)
                    let isOver = try await eventually {
                        try await fixture.sessions(own.session, of: ada).count == 1
                    }
                    #expect(isOver, "round \(round)")
                    for session in opened {
                        let state = try await fixture.state(session, of: ada)
                        #expect(!state.authenticated, "round \(round)")
                    }
                    #expect(try await fixture.passkeys(own.session, of: ada).isEmpty)
                    let late = try await fixture.signature(by: stolen, of: ada)
                    let refused = try await refusal { try await fixture.signIn(ada, by: late) }
                    #expect(refused.code == .unknownPasskey)
                }
            }
        }

        /// Signs in by a passkey, again and again, and removes it in the middle.
        /// - Returns: the sessions that were opened.
        private func race(
            _ passkey: OwnersPasskey, _ id: String, of own: SignedInApp,
            _ gateways: [PasskeysClient], _ fixture: StoryFixture
        ) async throws -> [GatewayV1.Session] {
            var signatures: [GatewayV1.PasskeyAssertion] = []
            for _ in 0..<Self.calls {
                signatures.append(try await fixture.signature(by: passkey, of: own.person))
            }
            let ready = signatures
            let opened = try await Self.atOnce(
                Self.calls + 1, gateways,
                refused: [.unknownPasskey, .invalidPasskey, .invalidSignInProof, .sessionEnded]
            ) { gateway, number -> GatewayV1.Session? in
                guard number != Self.calls / 2 else {
                    _ = try await gateway.removePasskey(
                        .init(passkeyId: id, device: own.person.gatewayDevice),
                        own.context(timeout: .seconds(30)))
                    return nil
                }
                let thief = Person(52_400 + number)
                return try await gateway.signInWithPasskey(
                    .init(
                        credential: ready[number % ready.count], device: thief.gatewayDevice),
                    fixture.backend.context(thief, timeout: .seconds(30))
                ).session
            }
            return opened.compactMap(\.self)
        }

        /// Runs a test with the clients of two gateways.
        private static func with(
            _ test: (StoryFixture, [PasskeysClient]) async throws -> Void
        ) async throws {
            // No session is displaced.
            let settings = ["POSTERN_SESSIONS_MAX": "100"]
            try await StoryFixture.with(limits: limits, settings: settings) { fixture in
                let second = GatewayProgram("second", of: fixture.cluster)
                try await second.start()
                let address = try #require(ServiceAddress("127.0.0.1:\(second.port)"))
                let client = try Cluster.client(
                    of: "gateway", at: [address], key: fixture.cluster.key(of: "app"))
                try await test(fixture, [fixture.backend.passkeys, PasskeysClient(client)])
                client.close()
                await second.stop()
            }
        }

        /// Makes calls at all gateways at once.
        /// - Parameter refused: the codes that a call may fail with.
        /// - Returns: the answers of those that did not.
        private static func atOnce<Answer: Sendable>(
            _ count: Int, _ gateways: [PasskeysClient], refused: [ErrorCode],
            _ call: @escaping @Sendable (PasskeysClient, Int) async throws -> Answer
        ) async throws -> [Answer] {
            try await withThrowingTaskGroup(of: [Answer].self) { group in
                for number in 0..<count {
                    let gateway = gateways[number % gateways.count]
                    group.addTask {
                        do {
                            return [try await call(gateway, number)]
                        } catch let error as ServiceError {
                            #expect(refused.contains(error.code))
                            return []
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
    }
}
