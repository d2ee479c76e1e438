import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Stories {
    @Suite("D3 1: new user registration")
    struct Registration {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("D3 1.1: a guest signs up by email, is signed in, and keeps the account")
        func email() async throws {
            let ada = Person(11_001)
            let guest = try await fixture.guest(ada)
            #expect(guest.account?.isGuest == true)
            let signedUp = try await fixture.signUp(
                ada, accessToken: guest.session?.accessToken ?? "")
            #expect(signedUp.account?.isGuest == false)
            #expect(signedUp.account?.accountId == guest.account?.accountId)
            let state = try await fixture.state(signedUp.session, of: ada)
            #expect(state.authenticated && state.account?.email == ada.email)
        }

        @Test("D3 1.2: a guest signs up with Google, with its profile, and keeps the account")
        func google() async throws {
            let ada = Person(11_002)
            let guest = try await fixture.guest(ada)
            let signedUp = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-1.2", email: ada.email, for: ada),
                accessToken: guest.session?.accessToken ?? "")
            #expect(signedUp.isNewUser && signedUp.isUpgraded)
            #expect(signedUp.account?.accountId == guest.account?.accountId)
            #expect(signedUp.account?.email == ada.email && signedUp.account?.emailVerified == true)
            #expect(signedUp.account?.displayName == "Ada Lovelace")
            #expect(signedUp.account?.photoUrl.isEmpty == false)
            #expect(try await fixture.state(signedUp.session, of: ada).authenticated)
            // The guest's own session ends soon after.
            let isOver = try await eventually {
                try await !fixture.state(guest.session, of: ada).authenticated
            }
            #expect(isOver)
        }

        @Test("D3 1.3: a guest signs up with Apple, with a relay address and a name")
        func apple() async throws {
            let ada = Person(11_003)
            let relay = "k7x2.11003@privaterelay.appleid.com"
            let guest = try await fixture.guest(ada)
            let signedUp = try await fixture.signIn(
                ada,
                by: try await fixture.appleToken(
                    of: "a-1.3", email: relay, isPrivate: true, name: "Ada", for: ada),
                accessToken: guest.session?.accessToken ?? "")
            #expect(signedUp.isNewUser && signedUp.isUpgraded)
            #expect(signedUp.account?.accountId == guest.account?.accountId)
            #expect(signedUp.account?.email == relay && signedUp.account?.displayName == "Ada")
            #expect(try await fixture.state(signedUp.session, of: ada).authenticated)
        }

        @Test("D3 1.4: an invalid provider token gives a readable error; another method works")
        func failed() async throws {
            let ada = Person(11_004)
            var token = try await fixture.googleToken(of: "g-1.4", email: ada.email, for: ada)
            token.idToken = String(token.idToken.dropLast())
            let error = try await refusal { try await fixture.signIn(ada, by: token) }
            #expect(error.code == .invalidProviderToken)
            #expect(error.sentence?.isEmpty != true && !error.code.sentence(in: .english).isEmpty)
            let again = try await fixture.signIn(
                ada, by: try await fixture.appleToken(of: "a-1.4", email: ada.email, for: ada))
            #expect(again.isNewUser)
        }

        @Test("D3 1.7: an existing email is reported, and the next step is to sign in")
        func exists() async throws {
            let ada = Person(11_007)
            _ = try await fixture.signUp(ada)
            let error = try await refusal { try await fixture.signUp(ada) }
            #expect(error.code == .emailAlreadyInUse && error.fields == ["email"])
            #expect(error.code.entry.next == .signIn)
            _ = try await fixture.letter(to: ada.email, saying: "already have an account")
            #expect(try await fixture.signIn(ada).session != nil)
        }

        @Test(
            "D3 1.8: a password that is too weak is rejected with the rules that it breaks",
            arguments: [
                ("Short1a", PasswordRule.length), ("alllower1", .upperCase),
                ("ALLUPPER1", .lowerCase), ("NoDigitsHere", .digit),
            ])
        func weak(password: String, rule: PasswordRule) async throws {
            let ada = Person(11_008)
            let error = try await refusal { try await fixture.signUp(ada, password: password) }
            #expect(error.code == .weakPassword && error.fields.contains("password"))
            #expect(error.violations.map(\.rule).contains(rule.rawValue), "\(error.violations)")
        }

        @Test("D3 1.9: a verification mail is sent, and the user is signed in before using it")
        func verification() async throws {
            let ada = Person(11_009)
            let signedUp = try await fixture.signUp(ada)
            let state = try await fixture.state(signedUp.session, of: ada)
            #expect(state.authenticated && state.requiredActions == [.verifyEmail])
            let token = try await fixture.linkToken(to: ada.email, page: "verify-email")
            let verified = try await fixture.backend.auth.verifyEmail(
                .init(token: token),
                fixture.backend.context(ada).bearing(signedUp.session?.accessToken))
            #expect(verified.account?.emailVerified == true)
            #expect(try await fixture.state(signedUp.session, of: ada).requiredActions.isEmpty)
        }
    }
}
