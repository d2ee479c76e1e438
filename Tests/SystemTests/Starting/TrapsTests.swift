import Foundation
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("What an operator meets at the first starts")
    struct Traps {
        @Test("a warning of a program is printed with its name before ready, without the code")
        func testNumbers() async throws {
            let until = Timestamp(
                milliseconds: SystemTime().now().milliseconds + 7 * 86_400 * 1_000
            ).text.prefix(10)
            let numbers = "+15555550100=493817 until \(until)"
            try await Cluster.with(environment: ["POSTERN_PHONE_TEST_NUMBERS": numbers]) {
                cluster in
                let before = cluster.output.components(separatedBy: "ready\n")[0]
                let warning = "warning: identity: phone test numbers are on"
                #expect(before.contains(warning), "\(before)")
                #expect(before.contains("(setting phone-test-numbers, count 1)"))
                #expect(!cluster.output.contains("493817"))
                #expect(!cluster.output.contains("+15555550100"))
            }
        }

        @Test("a mail server that is away is printed when the first mail finds it so")
        func mailServer() async throws {
            let environment = [
                // Nothing listens there.
                "POSTERN_SMTP_HOST": "127.0.0.1", "POSTERN_SMTP_PORT": "1",
                "POSTERN_SMTP_ENCRYPTION": "none",
            ]
            try await Cluster.with(environment: environment) { cluster in
                #expect(!cluster.output.contains("warning: notification"), "\(cluster.output)")
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                let isSaid = try await eventually(within: .seconds(20)) {
                    cluster.output.contains("warning: notification: ")
                }
                #expect(isSaid, "\(cluster.output)")
                #expect(!cluster.output.contains(ada.email))
            }
        }

        @Test("a link-origin that web does not answer for: up, status and the 421 say so")
        func linkOrigin() async throws {
            let environment = ["POSTERN_LINK_ORIGIN": "https://links.example.org"]
            try await Cluster.with(environment: environment) { cluster in
                let warning = "links in mails lead to a host that gets 421 here"
                #expect(cluster.output.contains("warning: web: \(warning)"), "\(cluster.output)")
                let status = try await cluster.status()
                #expect(status.output.contains("serving; warning: \(warning)"), "\(status.output)")
                #expect(status.exitCode == 0, "a warning is no failure: \(status.output)")
                let page = try await WebClient(cluster).curl(
                    "/verify-email", ["--header", "host: links.example.org"])
                #expect(page.status == 421)
                #expect(page.body.contains("web-origins"), "\(page.body)")
            }
        }

        @Test("a link-origin of identity alone is compared, and one of web-origins is no warning")
        func ownLinkOrigin() async throws {
            let own = ["POSTERN_IDENTITY_LINK_ORIGIN": "https://links.example.org"]
            try await Cluster.with(environment: own) { cluster in
                #expect(cluster.output.contains("warning: web: links in mails lead"))
            }
            let origins = "https://auth.example.org,https://links.example.org"
            let served = own.merging(["POSTERN_WEB_ORIGINS": origins]) { own, _ in own }
            try await Cluster.with(environment: served) { cluster in
                #expect(!cluster.output.contains("warning: web"), "\(cluster.output)")
                let status = try await cluster.status()
                #expect(!status.output.contains("warning"), "\(status.output)")
            }
        }

        @Test("a certificate for web alone serves HTTPS there, and the programs call each other")
        func certificate() async throws {
            let folder = try TemporaryFolder()
            let files = try TestAuthority(now: SystemTime().now()).issue([.dns("localhost")])
                .write(to: folder, as: "web")
            let environment = [
                "POSTERN_WEB_TLS_CERTIFICATE_FILE": files.chain,
                "POSTERN_WEB_TLS_KEY_FILE": files.key,
            ]
            try await Cluster.with(environment: environment) { cluster in
                #expect(!cluster.output.contains("POSTERN_WEB"))
                let web = try WebClient(cluster)
                #expect(web.url.hasPrefix("https://127.0.0.1:"))
                #expect(cluster.output.contains("\(web.url) for apps and browsers"))
                // Through the gateway to identity, session, rate limit and notification.
                #expect(try await cluster.signUp(Person(1)).exitCode == 0)
                let options = try await web.curl(
                    "/postern.gateway.v1.SignInOptions/GetSignInOptions",
                    [
                        "--insecure", "--header", "content-type: application/json",
                        "--header", "x-postern-app: \(web.appKey)", "--data", "{}",
                    ])
                #expect(options.status == 200, "\(options.body)")
                #expect(try await cluster.status().exitCode == 0)
            }
        }

        @Test("a certificate for all without roots of peers is refused with the variables to set")
        func sharedCertificate() async throws {
            let run = try await up(
                [
                    "POSTERN_TLS_CERTIFICATE_FILE=/nowhere.pem",
                    "POSTERN_TLS_KEY_FILE=/nowhere.key",
                ], limit: .seconds(20))
            #expect(run.exitCode == 1)
            for name in ["WEB_TLS_CERTIFICATE_FILE", "WEB_TLS_KEY_FILE", "TLS_PEER_CA_FILE"] {
                #expect(run.errors.contains("POSTERN_\(name)"), "\(run.errors)")
            }
        }

        @Test("after 20 s without ready, postern up prints which program waits for what")
        func waiting() async throws {
            // Only identity's store is on a server, and nothing listens there.
            let run = try await up(
                ["POSTERN_IDENTITY_STORE_URL=postgres://postern@127.0.0.1:1/postern"],
                limit: .seconds(28))
            let line = run.output.split(separator: "\n").first {
                $0.contains("postern-identity is not ready after 2")
            }
            #expect(line?.contains("logs/postern-identity.log") == true, "\(run.output)")
            #expect(line?.contains("127.0.0.1") == true, "\(run.output)")
            #expect(!run.output.contains("postern-session is not ready"), "\(run.output)")
        }

        @Test("a call that is not permitted is answered with what would permit it")
        func permissions() async throws {
            try await Cluster.with { cluster in
                let listed = try await cluster.call(
                    "postern.gateway.v1.Admin/ListAccounts", "{}")
                #expect(listed.code == "rpc/permission-denied")
                #expect(listed.json.contains("callers list of postern.gateway"), "\(listed.json)")

                let web = try WebClient(cluster)
                let answer = try await web.curl(
                    "/postern.gateway.v1.Admin/ListAccounts",
                    [
                        "--header", "content-type: application/json",
                        "--header", "x-postern-app: \(web.appKey)", "--data", "{}",
                    ])
                struct Failure: Decodable { let message: String }
                let message = try answer.read(Failure.self).message
                #expect(message.hasPrefix("rpc/permission-denied: "), "\(message)")
                #expect(message.contains("is for backends"), "\(message)")
            }
        }

        /// `postern up` on a folder of its own with further variables, until it ends or is killed.
        private func up(_ variables: [String], limit: Duration) async throws -> ProgramRun {
            let folder = try TemporaryFolder()
            return try await ProgramRun.run(
                path: "/usr/bin/env",
                variables + [
                    BuiltPrograms.path("postern"), "up", "--data", folder.file("data"),
                    "--port-base", "0",
                ], in: folder.path, limit: limit)
        }
    }
}
