import Foundation
import Glibc
import TestSupport
import Testing

extension SystemTests {
    @Suite("Passwords through all five programs")
    struct Passwords {
        private static let new = "Owners9Password"

        @Test("G-11, X-02: a reset by mail replaces the password and ends the sessions")
        func forgotten() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let first: SignedIn = try await cluster.signUp(ada).read()
                let requested = try await forgot(ada.email, cluster)
                #expect(requested.exitCode == 0, "\(requested.errors)")
                let unknown = try await forgot(Person(2).email, cluster)
                #expect(unknown.json == requested.json, "an unknown address looks the same")
                let fresh = try await reset(ada, cluster)
                #expect(fresh.account.accountId == first.account.accountId)
                #expect(fresh.account.emailVerified == true)
                try await ends(first.session, cluster)
                #expect(try await cluster.state(fresh.session).authenticated == true)
                #expect(try await cluster.signIn(ada).code == "auth/invalid-credential")
                #expect(try await cluster.signIn(ada, Self.new).exitCode == 0)
                try await expectNotice(ada, cluster)
                let nobodys = try await cluster.inbox(to: Person(2).email)
                #expect(!nobodys.contains("token="), "\(nobodys)")
            }
        }

        @Test(
            "R-03, X-02: the fourth request in an hour is limited, for a known or unknown address")
        func limited() async throws {
            try await Cluster.with { cluster in
                let (ada, nobody) = (Person(1), Person(2))
                #expect(try await cluster.signUp(ada).exitCode == 0)
                for email in [ada.email, nobody.email] {
                    for _ in 0..<3 { #expect(try await forgot(email, cluster).exitCode == 0) }
                }
                let known: ErrorAnswer = try await forgot(ada.email, cluster).read()
                let unknown: ErrorAnswer = try await forgot(nobody.email, cluster).read()
                #expect(known.code == "auth/too-many-requests")
                #expect(known.code == unknown.code && known.action == unknown.action)
                #expect(known.retryable == unknown.retryable)
            }
        }

        @Test("I-02: a password in the operator's file is refused, also once the file was replaced")
        func leaked() async throws {
            let folder = try TemporaryFolder()
            let lines = [
                "062F05DE7FD3B34DA6AD41973569CDA582347BAE:3\n",  // Leaked7Horse
                "882328868D7B1DB307169531B80EA196D66B093C:1\n",  // Person.password
            ]
            let file = try folder.write(lines[0], to: "pwned.txt")
            let environment = [
                "POSTERN_BREACHED_PASSWORDS": "file", "POSTERN_BREACHED_PASSWORDS_FILE": file,
            ]
            try await Cluster.with(environment: environment) { cluster in
                let ada = Person(1)
                let refused = try await cluster.auth(
                    "SignUpWithPassword", ada.credentials("Leaked7Horse"), from: ada.address)
                #expect(refused.code == "auth/weak-password")
                #expect(refused.json.contains("breached"), "\(refused)")
                #expect(try await cluster.signUp(ada).exitCode == 0)
                let new = try folder.write(lines.joined(), to: "pwned-new.txt")
                try #require(rename(new, file) == 0)
                let check = #"{"password":"\#(Person.password)"}"#
                let isUsed = try await eventually(every: .seconds(1)) {
                    try await cluster.call("postern.gateway.v1.SignInOptions/CheckPassword", check)
                        .json.contains("PASSWORD_STRENGTH_WEAK")
                }
                #expect(isUsed)
                #expect(try await cluster.signUp(Person(2)).code == "auth/weak-password")
                #expect(try await cluster.signIn(ada).exitCode == 0)
            }
        }

        @Test("G-12: changing a password keeps the session that asks, and ends the others")
        func changed() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let other: SignedIn = try await cluster.signUp(ada).read()
                let here: SignedIn = try await cluster.signIn(ada).read()
                var request: [String: Any] = [
                    "currentPassword": "Wrong7Horse", "newPassword": Self.new,
                ]
                let session = here.session
                let wrong = try await ask("ChangePassword", request, cluster, in: session)
                #expect(wrong.code == "auth/invalid-credential")
                request["currentPassword"] = Person.password
                #expect(
                    try await ask("ChangePassword", request, cluster, in: session).exitCode == 0)
                try await ends(other.session, cluster)
                #expect(try await cluster.state(here.session).authenticated == true)
                let child: Refreshed = try await cluster.refresh(here.session).read()
                #expect(try await cluster.state(child.session).authenticated == true)
                #expect(try await cluster.signIn(ada).code == "auth/invalid-credential")
                #expect(try await cluster.signIn(ada, Self.new).exitCode == 0)
                try await expectNotice(ada, cluster)
            }
        }

        private func ask(
            _ method: String, _ fields: [String: Any], _ cluster: Cluster,
            in session: Session? = nil
        ) async throws -> Cluster.Answer {
            let json = try JSONSerialization.data(withJSONObject: fields)
            return try await cluster.call(
                "postern.gateway.v1.Passwords/\(method)", String(decoding: json, as: UTF8.self),
                token: session?.accessToken)
        }

        private func forgot(_ email: String, _ cluster: Cluster) async throws -> Cluster.Answer {
            try await ask("RequestPasswordReset", ["email": email], cluster)
        }

        private func reset(_ person: Person, _ cluster: Cluster) async throws -> SignedIn {
            let page = "reset-password?token="
            var text = ""
            #expect(
                try await eventually {
                    text = try await cluster.inbox(to: person.email)
                    return text.contains(page)
                })
            let start = try #require(text.range(of: page)).upperBound
            let request: [String: Any] = [
                "token": String(text[start...].prefix { !$0.isWhitespace && $0 != "&" }),
                "password": Self.new,
                "device": ["deviceId": person.device, "platform": "cli"],
            ]
            let answer: SignedIn = try await ask("ResetPassword", request, cluster).read()
            let again = try await ask("ResetPassword", request, cluster)
            #expect(again.code == "auth/invalid-link", "a link works once")
            return answer
        }

        /// The bound is generous: the promise is one second, on a machine without other load.
        private func ends(_ session: Session, _ cluster: Cluster) async throws {
            #expect(
                try await eventually {
                    try await cluster.state(session).reason == "AUTH_STATE_REASON_SECURITY"
                })
            #expect(try await cluster.refresh(session).code == "auth/session-ended")
        }

        private func expectNotice(_ person: Person, _ cluster: Cluster) async throws {
            #expect(
                try await eventually {
                    try await cluster.inbox(to: person.email).contains("was changed")
                })
        }
    }
}
