import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Stories {
    @Suite("N-01: \"this was not me\", by a call")
    struct NotMe {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test("N-01, G-09: a thief is out within a second, with all that is the thief's")
        func story() async throws {
            let (ada, thief) = (Person(12_101), Person(12_102))
            let account = try await proved(ada)
            let stolen = try await signIn(to: ada, on: thief)
            let google = try await fixture.googleToken(of: "thief-12102", for: thief)
            _ = try await fixture.backend.methods.linkProvider(
                .init(token: google, device: thief.gatewayDevice),
                fixture.backend.context(thief).bearing(stolen.session?.accessToken))
            let mail = try await fixture.letter(
                to: ada.email, saying: "account has one more way to sign in")
            let link = try #require(mail.split(separator: "/not-me?token=").dropFirst().first)
            let token = String(
                link.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
            // As a page does that a scanner opens.
            for _ in 0..<3 {
                let described = try await fixture.backend.auth.describeLink(
                    .init(purpose: .disownSignIn, token: .init(text: token)),
                    fixture.backend.context(ada))
                #expect(described.usable && described.email == ada.email)
            }
            #expect(try await fixture.state(stolen.session, of: thief).authenticated)

            for _ in 0..<2 {
                _ = try await fixture.backend.auth.disownSignIn(
                    .init(token: .init(text: token)),
                    fixture.backend.context(ada, key: "not-me-12101"))
            }
            let isOut = try await eventually(within: .seconds(1)) {
                try await !fixture.state(stolen.session, of: thief).authenticated
            }
            #expect(isOut)
            try await expectShutOut(thief, of: ada, account)
            try await expectBack(ada, account)
            let used = try await refusal {
                try await fixture.backend.auth.disownSignIn(
                    .init(token: .init(text: token)), fixture.backend.context(ada))
            }
            #expect(used.code == .invalidLink)
        }

        /// An account with a proved address.
        /// - Returns: its id.
        private func proved(_ person: Person) async throws -> String {
            let signedUp = try await fixture.signUp(person)
            let token = try await fixture.linkToken(to: person.email, page: "verify-email")
            let verified = try await fixture.backend.auth.verifyEmail(
                .init(token: token, device: person.gatewayDevice),
                fixture.backend.context(person).bearing(signedUp.session?.accessToken))
            return try #require(verified.account).accountId
        }

        private func signIn(
            to person: Person, on thief: Person, _ password: String = Person.password
        ) async throws -> GatewayV1.SignInWithPasswordResponse {
            try await fixture.backend.auth.signInWithPassword(
                .init(
                    email: person.email, password: .init(text: password),
                    device: thief.gatewayDevice), fixture.backend.context(thief))
        }

        /// The stolen password is as a wrong one, and the method that was added opens another
        /// account.
        private func expectShutOut(
            _ thief: Person, of ada: Person, _ account: String
        ) async throws {
            let stolen = try await refusal { try await signIn(to: ada, on: thief) }
            let wrong = try await refusal { try await signIn(to: ada, on: thief, "Wrong7Horse") }
            #expect(stolen.code == .invalidCredential && stolen == wrong)
            let other = try await fixture.signIn(
                thief, by: try await fixture.googleToken(of: "thief-12102", for: thief))
            #expect(other.isNewUser && other.account?.accountId != account)
        }

        /// The owner sets a password by the mailed link.
        private func expectBack(_ ada: Person, _ account: String) async throws {
            let token = try await fixture.linkToken(to: ada.email, page: "reset-password")
            let reset = try await fixture.backend.passwords.resetPassword(
                .init(token: token, password: "Owners9Password", device: ada.gatewayDevice),
                fixture.backend.context(ada))
            #expect(reset.account?.accountId == account)
            #expect(reset.account?.methods == ["password"])
            #expect(try await fixture.state(reset.session, of: ada).authenticated)
        }
    }
}
