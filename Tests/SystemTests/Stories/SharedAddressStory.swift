import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Stories {
    @Suite("D3 FR-024 to FR-026: one address, one account")
    struct SharedAddress {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("FR-025: a provider is linked to the account with the verified address")
        func joined() async throws {
            let ada = Person(26_001)
            let signedUp = try await fixture.signUp(ada)
            let token = try await fixture.linkToken(to: ada.email, page: "verify-email")
            _ = try await fixture.backend.auth.verifyEmail(
                .init(token: token),
                fixture.backend.context(ada).bearing(signedUp.session?.accessToken))
            let google = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-fr25", email: ada.email, for: ada))
            #expect(google.isLinked && google.removedMethods.isEmpty)
            #expect(google.account?.accountId == signedUp.account?.accountId)
            #expect(try await fixture.signIn(ada).session != nil)
            _ = try await fixture.letter(to: ada.email, saying: "one more way to sign in")
        }

        @Test("X-04: a stranger who registered the address first is out once its owner signs in")
        func prepared() async throws {
            let ada = Person(26_002)
            let stranger = try await fixture.signUp(ada, password: "Strangers7Password")
            let owner = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-x04", email: ada.email, for: ada))
            #expect(owner.account?.accountId == stranger.account?.accountId)
            #expect(owner.removedMethods == ["password"])
            let isOut = try await eventually {
                try await !fixture.state(stranger.session, of: ada).authenticated
            }
            #expect(isOut)
            let error = try await refusal { try await fixture.signIn(ada, "Strangers7Password") }
            #expect(error.code == .invalidCredential)
            #expect(try await fixture.state(owner.session, of: ada).authenticated)
            _ = try await fixture.letter(to: ada.email, saying: "We secured your account")
        }

        @Test("FR-026: only the owner can add a password to a provider's account, by mail")
        func passwordAfterwards() async throws {
            let ada = Person(26_003)
            let google = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "g-fr26", email: ada.email, for: ada))
            #expect(
                try await refusal { try await fixture.signUp(ada) }.code == .emailAlreadyInUse)
            try await fixture.resetPassword(of: ada, to: Person.password, by: ada)
            let signedIn = try await fixture.signIn(ada)
            #expect(signedIn.account?.accountId == google.account?.accountId)
            #expect(signedIn.account?.methods.sorted() == ["google", "password"])
        }

        @Test("FR-024: 50 concurrent first sign-ins, by three methods, create one account")
        func crowd() async throws {
            let address = Person(26_100).email
            var tokens: [GatewayV1.ProviderToken] = []
            for number in 0..<34 {
                let person = Person(26_101 + number)
                tokens.append(
                    number.isMultiple(of: 2)
                        ? try await fixture.googleToken(of: "g-crowd", email: address, for: person)
                        : try await fixture.appleToken(of: "a-crowd", email: address, for: person))
            }
            let accounts = try await withThrowingTaskGroup(of: String?.self) { group in
                for (number, token) in tokens.enumerated() {
                    group.addTask {
                        try await fixture.signIn(Person(26_101 + number), by: token).account?
                            .accountId
                    }
                }
                for number in 0..<16 {
                    group.addTask { try await signUp(Person(26_201 + number), on: address) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(accounts.compactMap(\.self)).count == 1)
            #expect(accounts.count { $0 != nil } >= tokens.count, "no provider sign-in is refused")
        }

        /// The account; nil if the address was already taken.
        private func signUp(_ person: Person, on address: String) async throws -> String? {
            do {
                return try await fixture.backend.auth.signUpWithPassword(
                    .init(
                        email: address, password: .init(text: Person.password),
                        device: person.gatewayDevice),
                    fixture.backend.context(person)
                ).account?.accountId
            } catch let error as ServiceError where error.code == .emailAlreadyInUse {
                return nil
            }
        }
    }
}
