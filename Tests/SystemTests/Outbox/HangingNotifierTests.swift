import Foundation
import Glibc
import TestSupport
import Testing

extension SystemTests {
    @Suite("A notification service that hangs")
    struct HangingNotifier {
        /// More than identity's outbox sends at once.
        private static let mails = 40
        /// The promise is one second, on a machine without other load.
        private static let endsWithin = Duration.seconds(3)

        @Test("M6: a stolen session ends while mails wait for a notification service that hangs")
        func ends() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let thief: SignedIn = try await cluster.signUp(ada).read()
                let here: SignedIn = try await cluster.signIn(ada).read()
                let notifier = try #require(cluster.processes["postern-notification"])
                kill(notifier, SIGSTOP)
                // Even if the test fails, the process must be able to receive the signal that stops
                // the cluster.
                defer { kill(notifier, SIGCONT) }
                let backend = try LoadBackend(cluster)
                defer { backend.close() }
                for number in 2..<2 + Self.mails {
                    _ = try await backend.signUp(Person(number), key: "sign-up \(number)")
                }
                let request = [
                    "currentPassword": Person.password, "newPassword": "Owners9Password",
                ]
                let json = try JSONSerialization.data(withJSONObject: request)
                let changed = try await cluster.call(
                    "postern.gateway.v1.Passwords/ChangePassword",
                    String(decoding: json, as: UTF8.self), token: here.session.accessToken)
                #expect(changed.exitCode == 0, "\(changed.json)\(changed.errors)")
                let begin = ContinuousClock.now
                let hasEnded = try await eventually(within: Self.endsWithin) {
                    try await !backend.isSignedIn(thief.session.accessToken, of: ada)
                }
                print("an end beside a notifier that hangs: \(ContinuousClock.now - begin)")
                #expect(hasEnded)
            }
        }
    }
}
