import Contracts
import Glibc
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("D3 story 3: view and edit account profile")
    struct ViewAndEdit {
        private static let new = "Owners9Password"
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        private func app(_ number: Int) async throws -> SignedInApp {
            let ada = Person(number)
            return SignedInApp(fixture, ada, try await fixture.signUp(ada).session)
        }

        private func profile(_ app: SignedInApp) async throws -> GatewayV1.Account {
            let answer = try await fixture.backend.profile.getProfile(.init(), app.context())
            return try #require(answer.account)
        }

        @Test("D3 story 3.1: the profile shows the email, the name and the time of creation")
        func view() async throws {
            let app = try await app(31_001)
            let account = try await profile(app)
            #expect(account.email == app.person.email && account.displayName == "Ada")
            let state = try await app.state()
            #expect(account.createdAtMs > 0 && account.createdAtMs <= state.answeredAtMs)
        }

        @Test(
            "D3 story 3.2: a new display name is saved and confirmed, and shown at the next sign-in"
        )
        func name() async throws {
            let app = try await app(31_002)
            let updated = try await fixture.backend.profile.updateProfile(
                .init(name: .displayName("Countess Lovelace")), app.context())
            #expect(updated.account?.displayName == "Countess Lovelace")
            #expect(try await profile(app).displayName == "Countess Lovelace")
            let next = try await fixture.signIn(app.person)
            #expect(next.account?.displayName == "Countess Lovelace")
        }

        @Test("D3 story 3.3: a new address gets a mail, and the change is pending until confirmed")
        func email() async throws {
            let app = try await app(31_003)
            let new = Person(31_903).email
            _ = try await fixture.backend.emails.requestEmailChange(
                .init(newEmail: new, device: app.person.gatewayDevice), app.context())
            let token = try await fixture.linkToken(to: new, page: "change-email")
            let pending = try await profile(app)
            #expect(pending.email == app.person.email && pending.pendingEmail == new)
            _ = try await fixture.backend.emails.confirmEmailChange(
                .init(token: token, device: app.person.gatewayDevice), app.context())
            let confirmed = try await profile(app)
            #expect(confirmed.email == new && confirmed.pendingEmail.isEmpty)
        }

        @Test("D3 story 3.4: after a change of password the user remains signed in")
        func password() async throws {
            let app = try await app(31_004)
            _ = try await fixture.backend.passwords.changePassword(
                .init(
                    currentPassword: .init(text: Person.password),
                    newPassword: .init(text: Self.new), device: app.person.gatewayDevice),
                app.context())
            #expect(try await app.state().authenticated)
            #expect(try await profile(app).email == app.person.email)
            #expect(try await fixture.signIn(app.person, Self.new).session != nil)
        }

        @Test(
            "D3 story 3.5: while a service is stopped an update fails with a readable error; a retry succeeds"
        )
        func offline() async throws {
            let app = try await app(31_005)
            let request = GatewayV1.UpdateProfileRequest(name: .displayName("Augusta"))
            let identity = try #require(fixture.cluster.processes["postern-identity"])
            kill(identity, SIGSTOP)
            // Even if the test fails, the process must be able to receive the signal that stops the
            // cluster.
            defer { kill(identity, SIGCONT) }
            let error = try await refusal {
                try await fixture.backend.profile.updateProfile(
                    request,
                    app.context(key: "name-31005-again-and-again", timeout: .seconds(2)))
            }
            #expect(error.code.entry.isRetryable, "\(error)")
            #expect(!error.userMessage.isEmpty)
            kill(identity, SIGCONT)
            let saved = try await retried {
                try await fixture.backend.profile.updateProfile(
                    request, app.context(key: "name-31005-again-and-again"))
            }
            #expect(saved.account?.displayName == "Augusta")
            #expect(try await profile(app).displayName == "Augusta")
        }
    }
}
