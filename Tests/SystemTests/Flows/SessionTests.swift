import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("Sessions through all five programs")
    struct Sessions {
        /// The response of ListSessions.
        private struct Listed: Decodable {
            struct Entry: Decodable {
                let sessionId: String
                let deviceName: String?
                let current: Bool?
            }
            let sessions: [Entry]
        }

        private func ask(
            _ cluster: Cluster, _ method: String, _ fields: [String: Any] = [:],
            in session: Session
        ) async throws -> Cluster.Answer {
            let json = try JSONSerialization.data(withJSONObject: fields)
            return try await cluster.call(
                "postern.gateway.v1.AccountSessions/\(method)",
                String(decoding: json, as: UTF8.self), token: session.accessToken)
        }

        @Test(
            "S-03, G-10, G-22, G-13: sessions are displaced, replayed, listed, ended and confirmed")
        func way() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let first: SignedIn = try await cluster.signUp(ada).read()
                let token = try await cluster.mailedToken(to: ada.email)
                _ = try await cluster.auth(
                    "VerifyEmail", ["token": token], in: first.session)
                try await displaced(first, ada, cluster)
                try await replayed(ada, cluster)
                try await listed(ada, cluster)
            }
        }

        private func displaced(
            _ first: SignedIn, _ ada: Person, _ cluster: Cluster
        ) async throws {
            for _ in 2...6 { _ = try await cluster.signIn(ada).read(SignedIn.self) }
            let state = try await cluster.state(first.session)
            #expect(state.authenticated == nil)
            #expect(state.reason == "AUTH_STATE_REASON_REVOKED")
            #expect(
                try await eventually {
                    try await cluster.inbox(to: ada.email).contains("signed out of")
                })
        }

        private func replayed(_ ada: Person, _ cluster: Cluster) async throws {
            let answer: SignedIn = try await cluster.signIn(ada).read()
            let child: Refreshed = try await cluster.refresh(answer.session).read()
            let grandchild: Refreshed = try await cluster.refresh(child.session).read()
            #expect(try await cluster.state(grandchild.session).authenticated == true)
            let replayed = try await cluster.refresh(answer.session)
            #expect(replayed.code == "auth/refresh-token-replayed")
            #expect(
                try await eventually {
                    try await cluster.inbox(to: ada.email).contains("for safety")
                })
        }

        private func listed(_ ada: Person, _ cluster: Cluster) async throws {
            let here: SignedIn = try await cluster.signIn(ada).read()
            let session = here.session
            let list: Listed = try await ask(cluster, "ListSessions", in: session).read()
            #expect(list.sessions.count == 5)
            #expect(list.sessions.first?.current == true)
            #expect(list.sessions.allSatisfy { $0.deviceName == "device-1's name" })
            let other = try #require(list.sessions.last?.sessionId)
            let ended = try await ask(
                cluster, "EndSession", ["sessionId": other], in: session)
            #expect(ended.exitCode == 0)
            let others = try await ask(cluster, "EndOtherSessions", in: session)
            #expect(others.json.contains("3"))
            let wrong = try await ask(
                cluster, "Reauthenticate", ["password": "Wrong7Horse"], in: session)
            #expect(wrong.code == "auth/invalid-credential")
            let proved = try await ask(
                cluster, "Reauthenticate", ["password": Person.password], in: session)
            #expect(proved.exitCode == 0 && proved.json.contains("authenticatedAtMs"))
        }
    }
}
