import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Stories {
    @Suite("D2: a password that is added, and an address that was mistyped")
    struct AddedPassword {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("D2, G-14: who signs in with Google adds a password, and signs in by either")
        func password() async throws {
            let ada = Person(12_301)
            let google = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-12301", email: ada.email, for: ada))
            let linked = try await fixture.backend.methods.linkPassword(
                .init(password: .init(text: Person.password), device: ada.gatewayDevice),
                fixture.backend.context(ada).bearing(google.session?.accessToken))
            #expect(linked.account?.methods.sorted() == ["google", "password"])
            let signedIn = try await fixture.signIn(ada)
            #expect(signedIn.account?.accountId == google.account?.accountId)
            #expect(try await fixture.state(google.session, of: ada).authenticated)
            _ = try await fixture.letter(
                to: ada.email, saying: "account has one more way to sign in")
            let again = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-12301", email: ada.email, for: ada))
            #expect(again.account?.accountId == google.account?.accountId)
        }

        @Test("D2, G-02: a mistyped address is corrected before it is verified")
        func address() async throws {
            let (mistyped, ada) = (Person(12_302), Person(12_303))
            let signedUp = try await fixture.signUp(mistyped)
            let former = try await fixture.linkToken(to: mistyped.email, page: "verify-email")
            _ = try await fixture.backend.emails.correctEmail(
                .init(
                    email: mistyped.email, password: .init(text: Person.password),
                    newEmail: ada.email, device: ada.gatewayDevice), fixture.backend.context(ada))
            let token = try await fixture.linkToken(to: ada.email, page: "verify-email")
            let void = try await refusal { try await verify(former, ada) }
            #expect(void.code == .invalidLink)
            let verified = try await verify(token, ada)
            #expect(verified?.accountId == signedUp.account?.accountId)
            #expect(verified?.email == ada.email && verified?.emailVerified == true)
            #expect(
                try await fixture.signIn(ada).account?.accountId == signedUp.account?.accountId)
        }

        /// Opens a link outside of the account's session.
        private func verify(_ token: String, _ person: Person) async throws -> GatewayV1.Account? {
            try await fixture.backend.auth.verifyEmail(
                .init(
                    token: token, password: .init(text: Person.password),
                    device: person.gatewayDevice), fixture.backend.context(person)
            ).account
        }
    }
}
