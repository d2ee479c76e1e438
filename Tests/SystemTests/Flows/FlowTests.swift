import Foundation
import Testing

extension SystemTests {
    @Suite("Flows through all five programs")
    struct Flows {
        @Test(
            "G-02, G-12, G-03, G-10, G-01, G-09: sign-up, verification, sign-in, replay, sign-out")
        func way() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let first = try await signUp(ada, cluster)
                try await verify(ada, first, cluster)
                let second = try await signIn(ada, first, cluster)
                try await replay(second, cluster)
                #expect(try await cluster.state(first.session).authenticated == true)
                try await signOut(first, cluster)
            }
        }

        private func signUp(_ person: Person, _ cluster: Cluster) async throws -> SignedIn {
            let answer: SignedIn = try await cluster.signUp(person).read()
            #expect(answer.account.email == person.email)
            #expect(answer.account.emailVerified == nil, "a default value is absent")
            let state = try await cluster.state(answer.session)
            #expect(state.authenticated == true)
            #expect(state.requiredActions == ["REQUIRED_ACTION_VERIFY_EMAIL"])
            return answer
        }

        private func verify(
            _ person: Person, _ signedIn: SignedIn, _ cluster: Cluster
        ) async throws {
            let token = try await cluster.mailedToken(to: person.email)
            let session = signedIn.session
            let verified: Verified = try await cluster.auth(
                "VerifyEmail", ["token": token], in: session
            ).read()
            #expect(verified.account.emailVerified == true)
            #expect(try await cluster.state(signedIn.session).requiredActions == nil)
            let again = try await cluster.auth("VerifyEmail", ["token": token], in: session)
            #expect(again.code == "auth/invalid-link", "a link works once")
        }

        private func signIn(
            _ person: Person, _ signedUp: SignedIn, _ cluster: Cluster
        ) async throws -> Session {
            let wrong = try await cluster.signIn(person, "Wrong7Horse")
            let unknown = try await cluster.signIn(Person(2), "Wrong7Horse")
            #expect(wrong.code == "auth/invalid-credential")
            #expect(wrong.json == unknown.json, "X-02: an unknown address looks the same")
            let answer: SignedIn = try await cluster.signIn(person).read()
            #expect(answer.account.accountId == signedUp.account.accountId)
            #expect(answer.session.sessionId != signedUp.session.sessionId)
            return answer.session
        }

        private func replay(_ first: Session, _ cluster: Cluster) async throws {
            let child: Refreshed = try await cluster.refresh(first).read()
            #expect(child.session.sessionId == first.sessionId)
            let grandchild: Refreshed = try await cluster.refresh(child.session).read()
            #expect(try await cluster.state(grandchild.session).authenticated == true)
            let replayed = try await cluster.refresh(first)
            #expect(replayed.code == "auth/refresh-token-replayed")
            let refused = try await cluster.refresh(grandchild.session).code
            #expect(refused == "auth/session-ended" || refused == "auth/refresh-token-replayed")
            let state = try await cluster.state(grandchild.session)
            #expect(state.authenticated == nil)
            #expect(state.reason == "AUTH_STATE_REASON_SECURITY")
        }

        private func signOut(_ signedIn: SignedIn, _ cluster: Cluster) async throws {
            let out: SignedOut = try await cluster.auth(
                "SignOut", [:], in: signedIn.session
            ).read()
            #expect(out.endedSessions == 1)
            let state = try await cluster.state(signedIn.session)
            #expect(state.reason == "AUTH_STATE_REASON_REVOKED")
            #expect(try await cluster.refresh(signedIn.session).code == "auth/session-ended")
        }
    }
}
