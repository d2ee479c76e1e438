import TestSupport
import Testing

extension SystemTests {
    @Suite("Floods of mails")
    struct MailFloods {
        private struct Preview: Decodable {
            let confirmationToken: String
        }

        private let victim = "victim@example.org"

        /// A stranger with an address of its own signs the victim's address up.
        private func signUp(_ number: Int, _ cluster: Cluster) async throws -> Session {
            let stranger = Person(700 + number)
            var request = stranger.credentials()
            request["email"] = victim
            var answer = try await cluster.auth(
                "SignUpWithPassword", request, from: stranger.address)
            // The former account's deletion frees the address.
            _ = try await eventually {
                guard answer.code == "auth/email-already-in-use" else { return true }
                answer = try await cluster.auth(
                    "SignUpWithPassword", request, from: Person(800 + number).address)
                return false
            }
            return try answer.read(SignedIn.self).session
        }

        private func delete(_ session: Session, _ cluster: Cluster) async throws {
            let preview: Preview = try await cluster.call(
                "postern.gateway.v1.AccountDeletion/PreviewDeletion", "{}",
                token: session.accessToken
            ).read()
            let request = "{\"confirmationToken\":\"\(preview.confirmationToken)\"}"
            let answer = try await cluster.call(
                "postern.gateway.v1.AccountDeletion/RequestDeletion", request,
                token: session.accessToken)
            #expect(answer.exitCode == 0, "\(answer.json)\(answer.errors)")
        }

        @Test("R-03, N-06: sign-up and deletion in turns send few mails, and delay no reset link")
        func rounds() async throws {
            try await Cluster.with { cluster in
                for number in 0..<6 {
                    try await delete(try await signUp(number, cluster), cluster)
                }
                _ = try await signUp(6, cluster)
                let requested = ContinuousClock.now
                let reset = try await cluster.call(
                    "postern.gateway.v1.Passwords/RequestPasswordReset",
                    "{\"email\":\"\(victim)\"}",
                    metadata: ["client-address": Person(1).address])
                #expect(reset.exitCode == 0)
                let isThere = try await eventually {
                    try await cluster.inbox(to: victim).contains("/reset-password?")
                }
                #expect(isThere && ContinuousClock.now - requested < .seconds(5))
                let inbox = try await cluster.inbox(to: victim)
                #expect(inbox.ranges(of: "/verify-email?").count <= 3, "\(inbox)")
            }
        }
    }
}
