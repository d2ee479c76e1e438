import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Second proofs at two gateways at once")
    struct SecondProofRaces {
        private static let completions = 64
        /// Live challenges of an account.
        private static let challenges = 5

        @Test("F-03, F-04: of 64 completions with one code, at two gateways, one opens a session")
        func oneCode() async throws {
            try await StoryFixture.with(limits: StoryFixture.generousLimits) { fixture in
                let second = GatewayProgram("second", of: fixture.cluster)
                try await second.start()
                let address = try #require(ServiceAddress("127.0.0.1:\(second.port)"))
                let client = try Cluster.client(
                    of: "gateway", at: [address], key: fixture.cluster.key(of: "app"))
                let ada = Person(51_301)
                let own = SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
                let phone = try await fixture.protect(own)
                let gateways = [fixture.backend.challenges, SignInChallengesClient(client)]
                for proof: GatewayV1.CompleteSignInRequest.Proof in [
                    .totpCode(try await phone.app.code()),
                    .recoveryCode(.init(text: phone.recoveryCodes[0])),
                ] {
                    let before = try await fixture.sessions(phone.signedIn.session, of: ada)
                    let opened = try await race(proof, of: ada, gateways, fixture)
                    #expect(opened.count == 1)
                    let after = try await fixture.sessions(phone.signedIn.session, of: ada)
                    #expect(after.count == before.count + 1)
                    #expect(after.contains { $0.sessionId == opened.first })
                }
                client.close()
                await second.stop()
            }
        }

        /// Answers several challenges with one proof, again and again.
        /// - Returns: the sessions that were opened.
        private func race(
            _ proof: GatewayV1.CompleteSignInRequest.Proof, of person: Person,
            _ gateways: [SignInChallengesClient], _ fixture: StoryFixture
        ) async throws -> [String] {
            var waiting: [ServiceError.SecondProof] = []
            for _ in 0..<Self.challenges {
                waiting.append(try await fixture.challenge { try await fixture.signIn(person) })
            }
            let challenges = waiting
            return try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<Self.completions {
                    let gateway = gateways[number % gateways.count]
                    let challenge = challenges[number / gateways.count % challenges.count]
                    group.addTask {
                        do {
                            return try await gateway.completeSignIn(
                                .init(
                                    challenge: challenge.challenge, device: person.gatewayDevice,
                                    proof: proof),
                                fixture.backend.context(person, timeout: .seconds(30))
                            ).session?.sessionId
                        } catch let error as ServiceError {
                            #expect([.invalidCode, .invalidChallenge].contains(error.code))
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: []) { opened, session in
                    if let session { opened.append(session) }
                }
            }
        }
    }
}
