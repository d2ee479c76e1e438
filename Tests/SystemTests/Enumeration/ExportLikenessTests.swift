import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("X-02: an export does not tell whether an address has an account")
    struct ExportLikeness {
        /// A response that has a session. A guest's account has no email.
        private struct Opened: Decodable {
            let session: Session
        }

        /// The response of GetDataExport.
        private struct Export: Decodable {
            struct State: Decodable {
                let exportId: String
                let state: String
            }

            let dataExport: State
        }

        private static let strict = ["POSTERN_ENUMERATION": "strict"]

        @Test("X-02: with strict enumeration, the exports of two sign-ups are alike")
        func signUps() async throws {
            try await Cluster.with(environment: Self.strict) { cluster in
                let owner = Person(1)
                _ = try await member(owner, cluster)
                let (free, stranger) = (Person(2), Person(3))
                let toFree = try await signUp(free, with: free.email, cluster)
                let toTaken = try await signUp(stranger, with: owner.email, cluster)
                _ = try await cluster.mailedToken(to: free.email)
                let archives = [
                    try await archive(toFree, cluster), try await archive(toTaken, cluster),
                ]
                expectAlike(archives)
            }
        }

        @Test("X-02: with strict enumeration, the exports after two changes of email are alike")
        func changes() async throws {
            try await Cluster.with(environment: Self.strict) { cluster in
                let owner = Person(1)
                _ = try await member(owner, cluster)
                var archives: [[String: String]] = []
                let free = Person(9).email
                for (person, new) in [(Person(4), free), (Person(5), owner.email)] {
                    let session = try await member(person, cluster)
                    let request =
                        #"{"newEmail":"\#(new)","device":{"deviceId":"\#(person.device)"}}"#
                    let changing = try await cluster.call(
                        "postern.gateway.v1.Emails/RequestEmailChange", request,
                        token: session.accessToken)
                    #expect(changing.exitCode == 0, "\(changing.errors)")
                    if new == free { _ = try await cluster.mailedToken(to: free) }
                    let isWarned = try await eventually {
                        try await cluster.inbox(to: person.email).contains("asked to change")
                    }
                    #expect(isWarned)
                    archives.append(try await archive(session, cluster))
                }
                #expect(archives[0]["messages.json"]?.contains("email-change-requested") == true)
                expectAlike(archives)
            }
        }

        /// Signs up with any address.
        private func signUp(
            _ person: Person, with email: String, _ cluster: Cluster
        ) async throws -> Session {
            var request = person.credentials()
            request["email"] = email
            let answer = try await cluster.auth(
                "SignUpWithPassword", request, from: person.address)
            return try answer.read(Opened.self).session
        }

        /// Signs up, verifies the address, waits for the mail about that, and signs in.
        private func member(_ person: Person, _ cluster: Cluster) async throws -> Session {
            let guest = try await signUp(person, with: person.email, cluster)
            let verified = try await cluster.auth(
                "VerifyEmail", ["token": try await cluster.mailedToken(to: person.email)],
                in: guest)
            #expect(verified.exitCode == 0, "\(verified.errors)")
            let isWelcomed = try await eventually {
                try await cluster.inbox(to: person.email).contains("Welcome to")
            }
            #expect(isWelcomed)
            return try await cluster.signIn(person).read(Opened.self).session
        }

        /// The files of an account's export, without what differs between any two accounts.
        private func archive(
            _ session: Session, _ cluster: Cluster
        ) async throws -> [String: String] {
            func call(_ method: String) async throws -> Cluster.Answer {
                try await cluster.call(
                    "postern.gateway.v1.DataExports/\(method)", "{}", token: session.accessToken)
            }
            let ordered = try await call("RequestDataExport")
            #expect(ordered.exitCode == 0, "\(ordered.errors)")
            var id = ""
            let isReady = try await eventually(within: .seconds(30)) {
                let export = try await call("GetDataExport").read(Export.self).dataExport
                id = export.exportId
                return export.state == "DATA_EXPORT_STATE_READY"
            }
            try #require(isReady)
            let (web, folder) = (try WebClient(cluster), try TemporaryFolder())
            let fetched = try await web.curl(
                "/v1/exports/\(id)",
                [
                    "--header", "x-postern-app: \(web.appKey)", "--header",
                    "authorization: Bearer \(session.accessToken)", "--output",
                    folder.file("archive.zip"),
                ])
            #expect(fetched.status == 200)
            return try await unpacked(folder.file("archive.zip"))
                .mapValues { Self.blanked(String(decoding: $0, as: UTF8.self)) }
        }

        /// Without ids, times, and the numbers of persons. A mail that was delivered may not be
        /// recorded as sent yet.
        private static func blanked(_ text: String) -> String {
            text.replacing(/"ended_at":(null|"[^"]*")/, with: "\"ended_at\":")
                .replacing(/[a-z]{3}_[0-9a-z]{13}/, with: "id")
                .replacing(/[0-9]+(\.[0-9]+)?/, with: "")
        }

        private func expectAlike(_ archives: [[String: String]]) {
            #expect(archives.allSatisfy { $0["messages.json"] != nil })
            for (name, text) in archives[0] { #expect(archives[1][name] == text, "\(name)") }
            #expect(archives[0].count == archives[1].count)
        }
    }
}
