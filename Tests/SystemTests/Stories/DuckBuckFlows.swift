import Contracts
import Messages
import RPC
import ServiceRuntime
import Testing

extension SystemTests.Stories {
    @Suite("D0: sign-up, sign-in, sign-out, recovery")
    struct DuckBuckFlows {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("D0 sign-up: no session at first; Google or Apple each create a new account")
        func signUp() async throws {
            let ada = Person(20_001)
            let nobody = try await fixture.state(nil, of: ada)
            #expect(!nobody.authenticated && nobody.reason == .noSession)
            let google = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-d0", email: ada.email, for: ada))
            #expect(google.isNewUser && google.history == nil)
            let bob = Person(20_002)
            let apple = try await fixture.signIn(
                bob, by: try await fixture.appleToken(of: "a-d0", email: bob.email, for: bob))
            #expect(apple.isNewUser && apple.account?.accountId != google.account?.accountId)
            #expect(try await fixture.state(google.session, of: ada).authenticated)
        }

        @Test("D0 sign-up: by phone, with the code from a text message")
        func signUpByPhone() async throws {
            let ada = Person(20_003)
            let signedUp = try await fixture.signIn(ada, byPhone: "+4915120000003")
            #expect(signedUp.isNewUser)
            #expect(signedUp.account?.phoneNumber == "+4915120000003")
            let state = try await fixture.state(signedUp.session, of: ada)
            #expect(
                state.authenticated && state.requiredActions.isEmpty, "there is no email to verify")
        }

        @Test("D0 sign-in: a valid session stays signed in; a returning user gets the same account")
        func signIn() async throws {
            let ada = Person(20_004)
            let first = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-d0-4", email: ada.email, for: ada))
            #expect(try await fixture.state(first.session, of: ada).authenticated)
            let again = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-d0-4", email: ada.email, for: ada))
            #expect(!again.isNewUser)
            #expect(again.account?.accountId == first.account?.accountId)
            #expect(again.account?.lastSignIn != nil)
            let child = try await fixture.backend.auth.refreshSession(
                .init(
                    refreshToken: again.session?.refreshToken ?? "", device: ada.gatewayDevice),
                fixture.backend.context(ada))
            #expect(try await fixture.state(child.session, of: ada).authenticated)
        }

        @Test("D0 sign-out: one call ends this session, or all of them")
        func signOut() async throws {
            let ada = Person(20_005)
            let phone = try await fixture.signUp(ada)
            let tablet = try await fixture.signIn(ada)
            let laptop = try await fixture.signIn(ada)
            func signOut(_ session: GatewayV1.Session?, all: Bool) async throws -> UInt32 {
                try await fixture.backend.auth.signOut(
                    .init(all: all),
                    fixture.backend.context(ada).bearing(session?.accessToken)
                ).endedSessions
            }
            #expect(try await signOut(phone.session, all: false) == 1)
            #expect(try await fixture.state(tablet.session, of: ada).authenticated)
            #expect(try await signOut(tablet.session, all: true) == 2)
            #expect(try await !fixture.state(laptop.session, of: ada).authenticated)
        }

        @Test("D0 recovery: a user who has lost everything but the number signs in with it")
        func recovery() async throws {
            let ada = Person(20_006)
            let number = "+4915120000006"
            let signedUp = try await fixture.signUp(ada)
            let token = signedUp.session?.accessToken ?? ""
            let (request, code) = try await fixture.code(
                to: number, for: .link, person: ada, accessToken: token)
            let linked = try await fixture.backend.phone.linkPhone(
                .init(
                    requestId: request, phoneNumber: number, code: code,
                    device: ada.gatewayDevice), fixture.backend.context(ada).bearing(token))
            #expect(linked.account?.methods.sorted() == ["password", "phone"])
            let newPhone = Person(20_906)
            let back = try await fixture.signIn(newPhone, byPhone: number)
            #expect(!back.isNewUser && back.account?.accountId == signedUp.account?.accountId)
            #expect(try await fixture.state(back.session, of: newPhone).authenticated)
        }

        @Test("D0 recovery, G-13: a code to the account's own phone is a recent proof")
        func proof() async throws {
            let ada = Person(20_007)
            let number = "+4915120000007"
            let signedIn = try await fixture.signIn(ada, byPhone: number)
            let token = signedIn.session?.accessToken ?? ""
            let (request, code) = try await fixture.code(
                to: number, for: .reauthenticate, person: ada, accessToken: token)
            let proved = try await fixture.backend.sessions.reauthenticate(
                .init(
                    device: ada.gatewayDevice,
                    proof: .phoneCode(
                        .init(requestId: request, phoneNumber: number, code: code))),
                fixture.backend.context(ada).bearing(token))
            let check = try await fixture.backend.sessions.checkRecentProof(
                .init(kinds: [.phoneCode]),
                fixture.backend.context(ada).bearing(proved.accessToken))
            #expect(check.accountId == signedIn.account?.accountId)
            #expect(check.provedAtMs == proved.authenticatedAtMs)
        }
    }
}
