import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Stories {
    @Suite("D3 2: user login")
    struct Login {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("D3 2.1: the right email and password sign in")
        func password() async throws {
            let ada = Person(12_001)
            let signedUp = try await fixture.signUp(ada)
            let signedIn = try await fixture.signIn(ada)
            #expect(signedIn.account?.accountId == signedUp.account?.accountId)
            #expect(try await fixture.state(signedIn.session, of: ada).authenticated)
        }

        @Test("D3 2.2: a user who registered with Google signs in again with Google")
        func google() async throws {
            let ada = Person(12_002)
            func signIn() async throws -> GatewayV1.SignInWithProviderResponse {
                try await fixture.signIn(
                    ada, by: try await fixture.googleToken(of: "g-2.2", email: ada.email, for: ada))
            }
            let first = try await signIn()
            let again = try await signIn()
            #expect(first.isNewUser && !again.isNewUser)
            #expect(first.account?.accountId == again.account?.accountId)
            #expect(try await fixture.state(again.session, of: ada).authenticated)
        }

        @Test("D3 2.3: a user who registered with Apple signs in again, by a token without email")
        func apple() async throws {
            let ada = Person(12_003)
            let first = try await fixture.signIn(
                ada,
                by: try await fixture.appleToken(
                    of: "a-2.3", email: ada.email, name: "Ada", for: ada))
            let again = try await fixture.signIn(
                ada, by: try await fixture.appleToken(of: "a-2.3", for: ada))
            #expect(first.isNewUser && !again.isNewUser)
            #expect(first.account?.accountId == again.account?.accountId)
            #expect(again.account?.displayName == "Ada" && again.account?.email == ada.email)
        }

        @Test("D3 2.4: a guest who signs in to an account gets that account; its data is discarded")
        func guest() async throws {
            let ada = Person(12_004)
            let account = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-2.4", email: ada.email, for: ada))
            let guest = try await fixture.guest(ada)
            try await SignedInApp(fixture, ada, guest.session).write("goals", #"{"km":7}"#)
            let signedIn = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-2.4", email: ada.email, for: ada),
                accessToken: guest.session?.accessToken ?? "")
            #expect(signedIn.account?.accountId == account.account?.accountId)
            #expect(signedIn.collision?.guest?.accountId == guest.account?.accountId)
            #expect(signedIn.collision?.choice == .discard)
            let isGone = try await eventually {
                try await !fixture.state(guest.session, of: ada).authenticated
            }
            #expect(isGone)
        }

        @Test("D3 2.5: a wrong email and a wrong password give the same error")
        func wrong() async throws {
            let (ada, nobody) = (Person(12_005), Person(12_905))
            _ = try await fixture.signUp(ada)
            let wrong = try await refusal { try await fixture.signIn(ada, "Wrong7Horse") }
            let unknown = try await refusal { try await fixture.signIn(nobody, "Wrong7Horse") }
            #expect(wrong.code == .invalidCredential && wrong == unknown)
            let sentence = wrong.userMessage
            #expect(sentence.contains("email") && sentence.contains("password"))
        }

        @Test("D3 2.6: a forgotten password is replaced through a mailed link")
        func forgotten() async throws {
            let ada = Person(12_006)
            let signedUp = try await fixture.signUp(ada)
            _ = try await fixture.backend.passwords.requestPasswordReset(
                .init(email: ada.email), fixture.backend.context(ada))
            let token = try await fixture.linkToken(to: ada.email, page: "reset-password")
            let reset = try await fixture.backend.passwords.resetPassword(
                .init(token: token, password: "Owners9Password", device: ada.gatewayDevice),
                fixture.backend.context(ada))
            #expect(reset.account?.accountId == signedUp.account?.accountId)
            #expect(try await fixture.state(reset.session, of: ada).authenticated)
            #expect(try await refusal { try await fixture.signIn(ada) }.code == .invalidCredential)
            #expect(try await fixture.signIn(ada, "Owners9Password").session != nil)
        }

        @Test("D3 2.7: an unverified user signs in, is reminded, and can request another mail")
        func unverified() async throws {
            let ada = Person(12_007)
            _ = try await fixture.signUp(ada)
            let first = try await fixture.linkToken(to: ada.email, page: "verify-email")
            let signedIn = try await fixture.signIn(ada)
            let state = try await fixture.state(signedIn.session, of: ada)
            #expect(state.authenticated && state.requiredActions == [.verifyEmail])
            let token = signedIn.session?.accessToken ?? ""
            let sent = try await fixture.backend.emails.resendVerificationEmail(
                .init(), fixture.backend.context(ada).bearing(token)
            ).sent
            #expect(sent)
            var second = first
            let hasCome = try await eventually {
                second = try await fixture.linkToken(to: ada.email, page: "verify-email")
                return second != first
            }
            #expect(hasCome)
            let verified = try await fixture.backend.auth.verifyEmail(
                .init(token: second), fixture.backend.context(ada).bearing(token))
            #expect(verified.account?.emailVerified == true)
        }
    }
}
