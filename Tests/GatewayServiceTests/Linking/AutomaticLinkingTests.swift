import Messages
import NotificationService
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-15: one email has one account, through the gateway", .timeLimit(.minutes(1)))
struct AutomaticLinkingTests {
    private static let email = "ada@example.org"

    @Test("G-15: a verified owner gets the provider linked, gets a mail, and can use both methods")
    func linked() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.provedAccount()
            let google = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "ADA@Example.org"))
            #expect(google.isLinked && !google.isNewUser && google.removedMethods.isEmpty)
            #expect(google.account?.accountId == ada.account.accountId)
            #expect(google.account?.methods == ["password", "google"])
            #expect(try await fixture.gateway.signIn().account.accountId == ada.account.accountId)
            #expect(try await fixture.isSignedIn(ada.session), "no session ends")
            let mails = try await fixture.gateway.inner.mails()
            #expect(mails.contains { $0.subject.contains("new way to sign in") })
        }
    }

    @Test("G-15: two providers that have verified the same address lead to one account")
    func twoProviders() async throws {
        try await ProviderFixture.with { fixture in
            let google = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email))
            let apple = try await fixture.signIn(
                by: try await fixture.appleToken(of: "000.a", email: Self.email))
            #expect(apple.isLinked && apple.account?.accountId == google.account?.accountId)
            #expect(apple.account?.methods == ["apple", "google"])
        }
    }

    @Test("FR-026: a password is added to a provider's account by a link mailed to its owner")
    func passwordAfterwards() async throws {
        try await ProviderFixture.with { fixture in
            let google = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email))
            let taken = try await refusal { try await fixture.gateway.signUp() }
            #expect(taken.code == .emailAlreadyInUse)
            _ = try await fixture.gateway.passwords.requestPasswordReset(
                .init(email: Self.email), fixture.gateway.context())
            let reset = try await fixture.gateway.passwords.resetPassword(
                .init(
                    token: try await fixture.gateway.inner.linkToken(page: "reset-password"),
                    password: "Owners9Password", device: GatewayFixture.device("d1")),
                fixture.gateway.context())
            #expect(reset.account?.accountId == google.account?.accountId)
            #expect(reset.account?.methods == ["password", "google"])
            _ = try await fixture.gateway.signIn(password: "Owners9Password")
        }
    }

    @Test("X-04: an email that the provider has not verified leads to no existing account")
    func unverified() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.provedAccount()
            let eve = try await fixture.signIn(
                by: try await fixture.googleToken(of: "666", email: Self.email, isVerified: false))
            #expect(eve.isNewUser && eve.account?.accountId != ada.account.accountId)
            #expect(eve.account?.email.isEmpty == true && eve.account?.methods == ["google"])
        }
    }

    /// Uses real HTTP and stores, so that the calls really run concurrently.
    @Test(
        "SECURITY.md, Accounts and linking: 50 first sign-ins of one address make one account"
    )
    func crowd() async throws {
        try await ProviderFixture.with { fixture in
            let calls = 50
            var tokens: [GatewayV1.ProviderToken] = []
            for number in 0..<calls where !number.isMultiple(of: 3) {
                tokens.append(
                    number % 3 == 1
                        ? try await fixture.googleToken(of: "117", email: Self.email)
                        : try await fixture.appleToken(of: "000.a", email: Self.email))
            }
            let outcomes = await withTaskGroup(of: Result<String, any Error>.self) { group in
                for number in 0..<calls - tokens.count {
                    let address = "198.51.100.\(number)"
                    group.addTask {
                        await Self.outcome {
                            try await fixture.gateway.signUp(
                                in: fixture.gateway.context(address: address)
                            ).account.accountId
                        }
                    }
                }
                for (number, token) in tokens.enumerated() {
                    let address = "203.0.113.\(number)"
                    group.addTask {
                        await Self.outcome {
                            try await fixture.signIn(
                                by: token, device: "d\(number)",
                                in: fixture.gateway.context(address: address)
                            ).account?.accountId ?? ""
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let accounts = Set(outcomes.compactMap { try? $0.get() })  // errors are checked below
            #expect(accounts.count == 1)
            for case .failure(let error) in outcomes {
                // A sign-up that comes later fails because the address is taken.
                #expect((error as? ServiceError)?.code == .emailAlreadyInUse)
            }
            #expect(outcomes.count { (try? $0.get()) != nil } >= tokens.count)
            let inner = fixture.gateway.inner
            #expect(try await inner.count(inner.identityStore, "accounts") == 1)
            #expect(try await inner.count(inner.identityStore, "identities") == 2)
        }
    }

    private static func outcome(
        _ body: () async throws -> String
    ) async -> Result<String, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
