import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Stories {
    @Suite("D3 3: view and edit account profile")
    struct Profile {
        private static let new = "Owners9Password"
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("D3 3.1: the account shows its email, name and time of creation")
        func view() async throws {
            let ada = Person(13_001)
            let signedUp = try await fixture.signUp(ada)
            let state = try await fixture.state(signedUp.session, of: ada)
            let account = try #require(state.account)
            #expect(account.email == ada.email && account.displayName == "Ada")
            #expect(account.createdAtMs > 0 && account.createdAtMs <= state.answeredAtMs)
        }

        @Test("D3 3.4: a user who knows the password changes it and stays signed in")
        func password() async throws {
            let ada = Person(13_004)
            let other = try await fixture.signUp(ada)
            let here = try await fixture.signIn(ada)
            let change = GatewayV1.ChangePasswordRequest(
                currentPassword: .init(text: Person.password),
                newPassword: .init(text: Self.new), device: ada.gatewayDevice)
            _ = try await fixture.backend.passwords.changePassword(
                change,
                fixture.backend.context(ada).bearing(here.session?.accessToken))
            #expect(try await fixture.state(here.session, of: ada).authenticated)
            let isOut = try await eventually {
                try await !fixture.state(other.session, of: ada).authenticated
            }
            #expect(isOut, "the other devices are signed out")
            #expect(try await fixture.signIn(ada, Self.new).session != nil)
            _ = try await fixture.letter(to: ada.email, saying: "was changed")
        }

        @Test("D3 3.5: a password change whose response was lost can be retried")
        func lostAnswer() async throws {
            let ada = Person(13_005)
            let here = try await fixture.signUp(ada)
            let change = GatewayV1.ChangePasswordRequest(
                currentPassword: .init(text: Person.password),
                newPassword: .init(text: Self.new), device: ada.gatewayDevice)
            for _ in 0..<2 {
                _ = try await fixture.backend.passwords.changePassword(
                    change,
                    fixture.backend.context(ada, key: "change-13005")
                        .bearing(here.session?.accessToken))
            }
            #expect(try await fixture.state(here.session, of: ada).authenticated)
            #expect(try await fixture.signIn(ada, Self.new).session != nil)
        }
    }
}
