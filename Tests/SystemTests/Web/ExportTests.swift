import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("G-21: a person's data, by HTTP and by the mailed link's page")
    struct DataExports {
        /// The response of GetDataExport.
        private struct Export: Decodable {
            struct State: Decodable {
                let exportId: String
                let state: String
                let bytes: String?
            }

            let dataExport: State
        }

        private func call(
            _ method: String, _ token: String, _ cluster: Cluster
        ) async throws -> Cluster.Answer {
            try await cluster.call("postern.gateway.v1.DataExports/\(method)", "{}", token: token)
        }

        /// Waits until the export can be fetched.
        private func ready(_ token: String, _ cluster: Cluster) async throws -> Export.State {
            var export: Export?
            let isReady = try await eventually(within: .seconds(30)) {
                let answer = try await call("GetDataExport", token, cluster)
                // While identity starts again there is no answer.
                guard answer.exitCode == 0 else { return false }
                export = try answer.read()
                return export?.dataExport.state == "DATA_EXPORT_STATE_READY"
            }
            #expect(isReady)
            return try #require(export).dataExport
        }

        private func expectWhole(_ files: [String: Data], of person: Person) {
            for name in [
                "account.json", "sign-in-methods.json", "documents.json", "account-history.json",
                "sessions.json", "session-history.json", "push-devices.json", "messages.json",
                "limits.json", "index.html",
            ] {
                #expect(files[name] != nil, "\(name)")
            }
            for (name, text) in [
                ("account.json", person.email), ("documents.json", "canary"),
                ("index.html", "documents.json"),
            ] {
                #expect(files[name]?.range(of: Data(text.utf8)) != nil, "\(name)")
            }
        }

        @Test("it survives crashes, is fetched in two parts, and by the link's page, once")
        func whole() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let first: SignedIn = try await cluster.signUp(ada).read()
                let token = first.session.accessToken
                // The mail goes to a proved address only.
                let verified = try await cluster.auth(
                    "VerifyEmail", ["token": try await cluster.mailedToken(to: ada.email)],
                    in: first.session)
                #expect(verified.exitCode == 0, "\(verified.errors)")
                let written = try await cluster.call(
                    "postern.gateway.v1.Documents/WriteDocument",
                    #"{"write":{"collection":"settings","name":"a","json":"{\"text\":\"canary\"}"}}"#,
                    token: token)
                #expect(written.exitCode == 0, "\(written.errors)")
                // A part is missing, and then the job's own program ends.
                try cluster.crash("notification")
                let ordered = try await call("RequestDataExport", token, cluster)
                #expect(ordered.exitCode == 0, "\(ordered.errors)")
                try cluster.crash("identity")
                let export = try await ready(token, cluster)
                try await fetch(export, token, ada, cluster)
                try await openLink(ada, cluster)
                let cancelled = try await call("CancelDataExport", token, cluster)
                #expect(cancelled.json.contains("true"), "\(cancelled.json)")
                #expect(try await call("GetDataExport", token, cluster).code == "rpc/not-found")
            }
        }

        private func fetch(
            _ export: Export.State, _ token: String, _ person: Person, _ cluster: Cluster
        ) async throws {
            let (web, folder) = (try WebClient(cluster), try TemporaryFolder())
            func get(_ range: String, to file: String) async throws -> Int {
                try await web.curl(
                    "/v1/exports/\(export.exportId)",
                    [
                        "--header", "x-postern-app: \(web.appKey)", "--header",
                        "authorization: Bearer \(token)", "--range", range, "--output",
                        folder.file(file),
                    ]
                ).status
            }
            let bytes = try #require(export.bytes.flatMap { Int($0) })
            #expect(try await get("0-99", to: "first") == 206)
            #expect(try await get("100-", to: "rest") == 206)
            #expect(try await get("\(bytes)-", to: "none") == 416)
            let parts = try ["first", "rest"].map {
                try Data(contentsOf: URL(filePath: folder.file($0)))
            }
            #expect(parts[0].count + parts[1].count == bytes)
            try (parts[0] + parts[1]).write(to: URL(filePath: folder.file("whole.zip")))
            expectWhole(try await unpacked(folder.file("whole.zip")), of: person)
        }

        private func openLink(_ person: Person, _ cluster: Cluster) async throws {
            let (browser, folder) = (try PageBrowser(), try TemporaryFolder())
            let link = try await browser.link("your-data", to: person.email, cluster)
            func send(_ password: String, to file: String) async throws -> Int {
                let form = try await browser.open(link)
                let parts = form.body.components(separatedBy: "name=\"form\" value=\"")
                let token = try #require(parts.last?.split(separator: "\"").first, "\(form)")
                return try await browser.curl([
                    "--header", "origin: null", "--header", "sec-fetch-site: same-origin",
                    "--data", "form=\(token)", "--data-urlencode", "email=\(person.email)",
                    "--data-urlencode", "password=\(password)", "--output", folder.file(file),
                    "\(form.origin)/your-data",
                ]).status
            }
            #expect(try await send("Wrong7Horse", to: "wrong") == 422)
            #expect(try await send(Person.password, to: "whole.zip") == 200)
            expectWhole(try await unpacked(folder.file("whole.zip")), of: person)
            #expect(try await browser.open(link).status == 400, "a link works once")
            // The page's sessions have ended.
            let signedIn: SignedIn = try await cluster.signIn(person).read()
            let sessions = try await cluster.call(
                "postern.gateway.v1.AccountSessions/ListSessions", "{}",
                token: signedIn.session.accessToken)
            #expect(sessions.json.components(separatedBy: "\"sessionId\"").count == 3)
        }
    }
}
