import Foundation
import Messages
import TestSupport
import Testing

extension SystemTests {
    @Suite("Mails that strangers try to delay")
    struct HeldBackMail {
        /// Three times the burst of one recipient.
        private static let strangers = 60
        /// One second of it is the wait of `requestPasswordReset`.
        private static let comesWithin = Duration.seconds(10)

        @Test("B11: sixty sign-ups with a taken address do not delay its owner's reset link")
        func signUps() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                for number in 2..<2 + Self.strangers {
                    // Any response will do; the test is about the mails.
                    _ = try await cluster.auth(
                        "SignUpWithPassword", ada.credentials(), from: Person(number).address)
                }
                try await expectReset(ada, cluster)
            }
        }

        @Test(
            "B11: sixty accounts that request a change to the address do not delay its reset link")
        func emailChanges() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                let backend = try LoadBackend(cluster)
                defer { backend.close() }
                for number in 2..<2 + Self.strangers {
                    let stranger = Person(number)
                    let session = try await backend.signUp(stranger, key: stranger.email)
                    _ = try await ask(
                        "Emails/RequestEmailChange",
                        ["newEmail": ada.email], stranger, cluster, token: session.accessToken)
                }
                try await expectReset(ada, cluster)
            }
        }

        /// Expects the reset link that the owner requests now to arrive at once.
        private func expectReset(_ owner: Person, _ cluster: Cluster) async throws {
            let asked = try await ask(
                "Passwords/RequestPasswordReset", ["email": owner.email], owner, cluster)
            #expect(asked.exitCode == 0, "\(asked.json)\(asked.errors)")
            let begin = ContinuousClock.now
            let hasCome = try await eventually(within: Self.comesWithin) {
                try await cluster.inbox(to: owner.email).contains("reset-password?token=")
            }
            print("a reset link behind strangers' mails: \(ContinuousClock.now - begin)")
            #expect(hasCome)
        }

        private func ask(
            _ method: String, _ fields: [String: String], _ person: Person, _ cluster: Cluster,
            token: String? = nil
        ) async throws -> Cluster.Answer {
            let json = try JSONSerialization.data(withJSONObject: fields)
            return try await cluster.call(
                "postern.gateway.v1.\(method)", String(decoding: json, as: UTF8.self),
                metadata: ["client-address": person.address], token: token)
        }
    }
}
