import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Stories {
    @Suite("D4: anonymous first")
    struct AnonymousFirst {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("D4 5 C: a guest is signed in silently at launch and upgraded to an account in place")
        func upgrade() async throws {
            let ada = Person(24_001)
            let guest = try await fixture.guest(ada)
            #expect(guest.account?.isGuest == true)
            let started = try await fixture.state(guest.session, of: ada)
            #expect(started.authenticated && started.requiredActions.isEmpty)
            let child = try await fixture.backend.auth.refreshSession(
                .init(
                    refreshToken: guest.session?.refreshToken ?? "", device: ada.gatewayDevice),
                fixture.backend.context(ada))
            let upgraded = try await fixture.signIn(
                ada, by: try await fixture.appleToken(of: "a-d4-1", email: ada.email, for: ada),
                accessToken: child.session?.accessToken ?? "")
            #expect(upgraded.isUpgraded && upgraded.isNewUser)
            #expect(upgraded.account?.accountId == guest.account?.accountId)
            let again = try await fixture.signIn(
                ada, by: try await fixture.appleToken(of: "a-d4-1", for: ada))
            #expect(again.account?.accountId == guest.account?.accountId)
        }

        @Test("D4 6.3: a guest is upgraded by email and by phone")
        func otherMethods() async throws {
            let (ada, bob) = (Person(24_002), Person(24_003))
            let first = try await fixture.guest(ada)
            let byEmail = try await fixture.signUp(
                ada, accessToken: first.session?.accessToken ?? "")
            #expect(byEmail.account?.accountId == first.account?.accountId)
            let second = try await fixture.guest(bob)
            let byPhone = try await fixture.signIn(
                bob, byPhone: "+4915120240003",
                accessToken: second.session?.accessToken ?? "")
            #expect(byPhone.isUpgraded && byPhone.account?.accountId == second.account?.accountId)
        }

        @Test(
            "D4 9.3: a taken email is reported; the guest can continue, or sign in to that account")
        func duplicate() async throws {
            let ada = Person(24_004)
            let account = try await fixture.signUp(ada)
            let guest = try await fixture.guest(ada)
            let asking = guest.session?.accessToken ?? ""
            let error = try await refusal {
                try await fixture.signUp(ada, password: "Guests8Password", accessToken: asking)
            }
            #expect(error.code == .emailAlreadyInUse && error.code.entry.next == .signIn)
            #expect(try await fixture.state(guest.session, of: ada).account?.isGuest == true)
            let signedIn = try await fixture.signIn(ada)
            #expect(signedIn.account?.accountId == account.account?.accountId)
        }

        @Test("D4 9.4: a guest without data signs in to an existing account, and leaves nothing")
        func noData() async throws {
            let ada = Person(24_005)
            let number = "+4915120240005"
            let account = try await fixture.signIn(ada, byPhone: number)
            let guest = try await fixture.guest(ada)
            let signedIn = try await fixture.signIn(
                ada, byPhone: number, accessToken: guest.session?.accessToken ?? "")
            #expect(signedIn.account?.accountId == account.account?.accountId)
            #expect(!signedIn.isUpgraded)
            #expect(signedIn.collision == nil)
            let isGone = try await eventually {
                try await !fixture.state(guest.session, of: ada).authenticated
            }
            #expect(isGone)
        }
    }
}
