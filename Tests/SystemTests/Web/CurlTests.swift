import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("The web service, by curl alone")
    struct Curl {
        @Test("a person signs up, refreshes, signs in and signs out by JSON over HTTP")
        func flow() async throws {
            try await Cluster.with { cluster in
                let web = try WebClient(cluster)
                let ada = Person(1)
                let signedUp = try await web.auth(
                    "SignUpWithPassword", ada.credentials(), key: web.appKey)
                #expect(signedUp.status == 200, "\(signedUp.body)")
                let first: SignedIn = try signedUp.read()
                #expect(first.account.email == ada.email)

                let refreshed = try await web.auth(
                    "RefreshSession", ["refreshToken": first.session.refreshToken], key: web.appKey)
                #expect(refreshed.status == 200, "\(refreshed.body)")
                let second = try refreshed.read(Refreshed.self).session
                #expect(second.sessionId == first.session.sessionId)

                let signedIn = try await web.auth(
                    "SignInWithPassword", ada.credentials(), key: web.appKey)
                #expect(signedIn.status == 200, "\(signedIn.body)")
                let third: SignedIn = try signedIn.read()
                #expect(third.account.accountId == first.account.accountId)

                let fields = ["authorization: Bearer \(third.session.accessToken)"]
                let out = try await web.auth("SignOut", [:], fields: fields, key: web.appKey)
                #expect(out.status == 200, "\(out.body)")
                let state: AuthState = try await web.auth(
                    "CheckAuthState", [:], fields: fields, key: web.appKey
                ).read()
                #expect(state.authenticated == nil)
                #expect(state.reason == "AUTH_STATE_REASON_REVOKED")
            }
        }

        @Test("a wrong password, a call without a key and a backend's method are refused")
        func refusals() async throws {
            try await Cluster.with { cluster in
                let web = try WebClient(cluster)
                let ada = Person(1)
                _ = try await cluster.signUp(ada)
                let wrong = try await web.auth(
                    "SignInWithPassword", ada.credentials("Wrong7Horse"), key: web.appKey)
                #expect(wrong.status >= 400 && wrong.body.contains("auth/invalid-credential"))
                let nobody = try await web.auth("SignInWithPassword", ada.credentials(), key: nil)
                #expect(nobody.status == 401, "\(nobody.body)")
                let admin = try await web.curl(
                    "/postern.gateway.v1.Admin/ListAccounts",
                    [
                        "--header", "content-type: application/json",
                        "--header", "x-postern-app: \(web.appKey)", "--data", "{}",
                    ])
                #expect(admin.status == 403 || admin.status == 404, "\(admin.body)")
            }
        }

        @Test("the first command that postern up prints signs a person up")
        func firstCommand() async throws {
            try await Cluster.with { cluster in
                let lines = cluster.output.split(separator: "\n").map(String.init)
                let command = try #require(lines.first { $0.hasPrefix("  curl ") })
                let run = try await ProgramRun.run(
                    path: "/usr/bin/env", ["bash", "-c", command], limit: .seconds(30))
                #expect(run.exitCode == 0, "\(run.errors)")
                #expect(run.output.contains("\"refreshToken\""), "\(run.output)")
                // Where it listens, where data is, and how to stop it.
                let gateway = try #require(cluster.addresses()["gateway"])
                for text in [gateway, "\(cluster.data): stores", "kill \(cluster.up.id)"] {
                    #expect(cluster.output.contains(text), "\(cluster.output)")
                }
            }
        }

        @Test("load balancers read the health by GET, without a key")
        func health() async throws {
            try await Cluster.with { cluster in
                let health = try await WebClient(cluster).curl("/health")
                #expect(health.status == 200)
                #expect(health.body == "serving\n")
            }
        }

        @Test("the five services run without the web service")
        func without() async throws {
            try await Cluster.with(TemporaryFolder(), options: ["--no-web"]) { cluster in
                #expect(cluster.processes.count == 5)
                let status = try await cluster.status()
                #expect(status.exitCode == 0, "\(status.output)")
                #expect(!status.output.contains("web"))
                #expect(cluster.output.contains("postern call "))
            }
        }
    }
}
