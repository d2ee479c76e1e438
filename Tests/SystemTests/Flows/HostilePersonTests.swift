import Foundation
import Testing

extension SystemTests {
    @Suite("Hostile input from users")
    struct HostilePeople {
        /// A text that any log, store or metric would show if it contained it.
        private static let canary = "Canary7Horse-5f1c9e0b"
        private static let breaking = "a\nb\r\n\"}\u{2028}{\"level\":\"error\"\u{1b}[31m"

        @Test("Secrets: no password is in a log, store, mail or metric, and no token is in a log")
        func canary() async throws {
            try await Cluster.with(environment: ["POSTERN_LOG_LEVEL": "debug"]) { cluster in
                let ada = Person(1)
                let request = ada.credentials(Self.canary)
                let answer: SignedIn = try await cluster.auth(
                    "SignUpWithPassword", request, from: ada.address
                ).read()
                let typo = try await cluster.signIn(ada, Self.canary + "!")
                #expect(typo.code == "auth/invalid-credential")
                let signedIn = try await cluster.signIn(ada, Self.canary)
                #expect(signedIn.exitCode == 0)
                // A password in the wrong field is the one most easily logged.
                _ = try await cluster.auth("RefreshSession", ["refreshToken": Self.canary])
                let link = try await cluster.mailedToken(to: ada.email)
                try await check(cluster, answer.session, link)
                await cluster.stop()
                try await check(cluster, answer.session, link)
            }
        }

        private func check(_ cluster: Cluster, _ session: Session, _ link: String) async throws {
            for file in cluster.files() {
                #expect(!file.holds(Self.canary), "\(file.path) holds the password")
                #expect(!file.holds(session.refreshToken), "\(file.path) holds a refresh token")
                #expect(!file.holds(session.accessToken), "\(file.path) holds an access token")
                let isMail = file.path.contains("/inbox/")
                #expect(isMail || !file.holds(link), "\(file.path) holds a link's token")
            }
            for service in BuiltPrograms.services where cluster.up.isRunning {
                let metrics = try cluster.metrics(service, "/metrics")
                #expect(!metrics.contains(Self.canary))
            }
        }

        @Test("SECURITY.md, Secrets: a log line is one JSON object, whatever a device is called")
        func lines() async throws {
            try await Cluster.with(environment: ["POSTERN_LOG_LEVEL": "debug"]) { cluster in
                let device = ["deviceId": Self.breaking, "platform": "cli", "name": Self.breaking]
                for email in ["ada@example.org", "ada\(Self.breaking)@example.org"] {
                    var request: [String: Any] = [
                        "email": email, "password": Person.password, "device": device,
                    ]
                    try await expectAnswer(cluster.auth("SignInWithPassword", request))
                    request["displayName"] = Self.breaking
                    request["mailLanguage"] = Self.breaking
                    try await expectAnswer(cluster.auth("SignUpWithPassword", request))
                }
                _ = try await cluster.auth("RefreshSession", ["refreshToken": Self.breaking])
                _ = try await cluster.auth("VerifyEmail", ["token": Self.breaking])
                await cluster.stop()
                for line in try cluster.logLines() {
                    let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
                    let object = value as? [String: Any]
                    #expect(object?["event"] is String, "no event: \(line)")
                    #expect(object?["message"] is String, "no message: \(line)")
                    #expect(object?["level"] as? String != "error", "\(line)")
                }
            }
        }

        private func expectAnswer(_ answer: Cluster.Answer) {
            #expect(answer.exitCode == 0 || answer.code != nil, "\(answer)")
            #expect(answer.code != "rpc/internal")
        }

        @Test("X-01: every error of a caller gets an error that names it")
        func problems() async throws {
            try await Cluster.with { cluster in
                let auth = "postern.gateway.v1.Auth"
                let unknown = try await cluster.call("\(auth)/SignUpWithHorse", "{}")
                #expect(unknown.code == "rpc/unknown-method")
                let refusal: ErrorAnswer = try unknown.read()
                #expect(!refusal.userMessage.isEmpty && refusal.action == "correct")
                for (method, json, sentence) in [
                    ("\(auth)/RefreshSession", "{\"refreshToken\":", "not JSON"),
                    ("\(auth)/RefreshSession", "{\"refreshTokken\":\"\"}", "has no such field"),
                    ("\(auth)/RefreshSession", "{\"refreshToken\":3}", "a string is needed"),
                    ("\(auth)/RefreshSession", "", "not JSON"),
                    ("Refresh", "{}", "is no method"),
                    ("postern.horse.v1.Horses/List", "{}", "no address of the service horse"),
                ] {
                    let answer = try await cluster.call(method, json)
                    #expect(answer.exitCode == 1)
                    #expect(answer.errors.contains(sentence), "\(json): \(answer.errors)")
                }
            }
        }
    }
}
