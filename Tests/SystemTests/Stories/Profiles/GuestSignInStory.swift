import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("D3 2.4: a guest with data signs in to an account, with the default settings")
    struct GuestSignIn {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("D3 2.4: the guest's data is discarded, and the account's is there")
        func discarded() async throws {
            let ada = Person(36_021)
            let signedUp = try await fixture.signUp(ada)
            let before = SignedInApp(fixture, ada, signedUp.session)
            try await before.write("profile", OnboardingAnswers.profile)
            let own = try await before.contents()
            let guest = SignedInApp(fixture, ada, try await fixture.guest(ada).session)
            let other = OnboardingAnswers.profile.replacing("Ada", with: "Nobody")
            try await guest.write("profile", other)
            let signedIn = try await fixture.backend.auth.signInWithPassword(
                .init(
                    email: ada.email, password: .init(text: Person.password),
                    device: ada.gatewayDevice), guest.context())
            #expect(signedIn.account?.accountId == signedUp.account?.accountId)
            let collision = try #require(signedIn.collision)
            #expect(collision.choice == .discard && collision.choiceToken.isEmpty)
            #expect(collision.guest?.isGuest == true)
            let app = SignedInApp(fixture, ada, signedIn.session)
            #expect(try await app.contents() == own)
            let isGone = try await eventually { try await !guest.isSignedIn() }
            #expect(isGone)
        }
    }
}
