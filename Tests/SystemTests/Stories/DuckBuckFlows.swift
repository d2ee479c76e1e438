import Contracts
import Messages
import RPC
import ServiceRuntime
import Testing

extension SystemTests.Stories {
    @Suite("D0: sign-up, sign-in, sign-out, recovery")
    struct DuckBuckFlows {
        private let town: StoryFixture

        init() throws { town = try #require(StoryFixture.current) }

        @Test("D0 sign-up: no session at first; Google or Apple each create a new account")
        func signUp() async throws {
            let ada = Person(20_001)
            let nobody = try await town.state(nil, of: ada)
            #expect(!nobody.authenticated && nobody.reason == .noSession)
            let google = try await town.signIn(
                ada, by: try await town.googleToken(of: "g-d0", email: ada.email, for: ada))
            #expect(google.isNewUser && google.news == nil)
            let bob = Person(20_002)
            let apple = try await town.signIn(
                bob, by: try await town.appleToken(of: "a-d0", email: bob.email, for: bob))
            #expect(apple.isNewUser && apple.account?.accountId != google.account?.accountId)
            #expect(try await town.state(google.session, of: ada).authenticated)
        }

        @Test("D0 sign-up: by phone, with the code from a text message")
        func signUpByPhone() async throws {
            let ada = Person(20_003)
            let signedUp = try await town.signIn(ada, byPhone: "+4915120000003")
            #expect(signedUp.isNewUser)
            #expect(signedUp.account?.phoneNumber == "+4915120000003")
            let state = try await town.state(signedUp.session, of: ada)
            #expect(state.authenticated && state.todo.isEmpty, "there is no email to verify")
        }

        @Test("D0 sign-in: a valid session stays signed in; a returning user gets the same account")
        func signIn() async throws {
            let ada = Person(20_004)
            let first = try await town.signIn(
                ada, by: try await town.googleToken(of: "g-d0-4", email: ada.email, for: ada))
            #expect(try await town.state(first.session, of: ada).authenticated)
            let again = try await town.signIn(
                ada, by: try await town.googleToken(of: "g-d0-4", email: ada.email, for: ada))
            #expect(!again.isNewUser)
            #expect(again.account?.accountId == first.account?.accountId)
            #expect((again.account?.lastSignInAtMs ?? 0) > 0)
            let child = try await town.backend.auth.refresh(
                .init(
                    refreshToken: again.session?.refreshToken ?? "", device: ada.gatewayDevice),
                town.backend.context(ada))
            #expect(try await town.state(child.session, of: ada).authenticated)
        }

        @Test("D0 sign-out: one call ends this session, or all of them")
        func signOut() async throws {
            let ada = Person(20_005)
            let phone = try await town.signUp(ada)
            let tablet = try await town.signIn(ada)
            let laptop = try await town.signIn(ada)
            func signOut(_ session: GatewayV1.Session?, all: Bool) async throws -> UInt32 {
                try await town.backend.auth.signOut(
                    .init(all: all, token: .accessToken(session?.accessToken ?? "")),
                    town.backend.context(ada)
                ).ended
            }
            #expect(try await signOut(phone.session, all: false) == 1)
            #expect(try await town.state(tablet.session, of: ada).authenticated)
            #expect(try await signOut(tablet.session, all: true) == 2)
            #expect(try await !town.state(laptop.session, of: ada).authenticated)
        }

        @Test("D0 recovery: a user who has lost everything but the number signs in with it")
        func recovery() async throws {
            let ada = Person(20_006)
            let number = "+4915120000006"
            let signedUp = try await town.signUp(ada)
            let token = signedUp.session?.accessToken ?? ""
            let (request, code) = try await town.code(
                to: number, for: .link, person: ada, accessToken: token)
            let linked = try await town.backend.phone.linkPhone(
                .init(
                    accessToken: token, requestId: request, phoneNumber: number, code: code,
                    device: ada.gatewayDevice), town.backend.context(ada))
            #expect(linked.account?.methods.sorted() == ["password", "phone"])
            let newPhone = Person(20_906)
            let back = try await town.signIn(newPhone, byPhone: number)
            #expect(!back.isNewUser && back.account?.accountId == signedUp.account?.accountId)
            #expect(try await town.state(back.session, of: newPhone).authenticated)
        }

        @Test("D0 recovery, G-13: a code to the account's own phone is a recent proof")
        func proof() async throws {
            let ada = Person(20_007)
            let number = "+4915120000007"
            let signedIn = try await town.signIn(ada, byPhone: number)
            let token = signedIn.session?.accessToken ?? ""
            let (request, code) = try await town.code(
                to: number, for: .prove, person: ada, accessToken: token)
            let proved = try await town.backend.sessions.reauthenticate(
                .init(
                    accessToken: token, device: ada.gatewayDevice,
                    proof: .phoneCode(
                        .init(requestId: request, phoneNumber: number, code: code))),
                town.backend.context(ada))
            let check = try await town.backend.sessions.checkRecentProof(
                .init(accessToken: proved.accessToken, kinds: [.phoneCode]),
                town.backend.context(ada))
            #expect(check.accountId == signedIn.account?.accountId)
            #expect(check.provedAtMs == proved.authTimeMs)
        }
    }
}
