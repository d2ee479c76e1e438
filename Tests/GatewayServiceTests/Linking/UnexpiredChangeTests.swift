import Messages
import NotificationService
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

/// The last attack in the paper that `HijackingTests` names: an attacker begins a change of address
/// before the victim arrives and tries to finish it afterwards.
@Suite("X-04, unexpired email change: an attacker cannot finish it", .timeLimit(.minutes(1)))
struct UnexpiredChangeTests {
    private static let email = "victim@example.org"
    private static let strangersEmail = "stranger@example.net"
    private static let strangers = "Strangers7Password"
    private static let victims = "Victims8Password"

    /// How the victim takes over the account that an attacker created with the victim's address.
    enum Arrival: CaseIterable { case provider, forgottenPassword }

    /// How the victim creates an account of their own.
    enum Start: CaseIterable { case provider, signUp }

    @Test(
        "the account with the victim's address cannot be moved to the attacker's address",
        arguments: Arrival.allCases)
    func awayFromVictim(_ arrival: Arrival) async throws {
        try await ProviderFixture.with { fixture in
            let stranger = try await fixture.gateway.signUp(Self.email, password: Self.strangers)
            let link = try await change(of: stranger, to: Self.strangersEmail, fixture)
            let victim = try await arrive(arrival, fixture)
            #expect(victim.account?.accountId == stranger.account.accountId)
            try await expectWorthless(link, of: stranger, .invalidLink, fixture)
            let state = try await fixture.gateway.check(victim.session?.accessToken ?? "")
            #expect(state.account?.email == Self.email && state.account?.pendingEmail == "")
            #expect(state.account?.methods == (arrival == .provider ? ["google"] : ["password"]))
            let mails = try await fixture.gateway.inner.mails(to: Self.strangersEmail)
            #expect(mails.count == 1, "no later mail goes to that address")
        }
    }

    @Test(
        "the attacker's account cannot take over the victim's address",
        arguments: Start.allCases)
    func ontoVictim(_ start: Start) async throws {
        try await ProviderFixture.with { fixture in
            let stranger = try await fixture.gateway.signUp(
                Self.strangersEmail, password: Self.strangers)
            // Even if the victim was tricked into passing the link on.
            let link = try await change(of: stranger, to: Self.email, fixture)
            let victim: (account: String?, session: GatewayV1.Session?)
            switch start {
            case .provider:
                let answer = try await arrive(.provider, fixture)
                victim = (answer.account?.accountId, answer.session)
            case .signUp:
                let answer = try await fixture.gateway.signUp(Self.email, password: Self.victims)
                victim = (answer.account.accountId, answer.session)
            }
            #expect(victim.account != stranger.account.accountId)
            try await expectWorthless(link, of: stranger, .emailAlreadyInUse, fixture)
            #expect(try await fixture.isSignedIn(victim.session))
            let state = try await fixture.gateway.check(victim.session?.accessToken ?? "")
            #expect(state.account?.accountId == victim.account)
            #expect(state.account?.email == Self.email)
            let own = try await fixture.gateway.signIn(
                Self.strangersEmail, password: Self.strangers)
            #expect(own.account.email == Self.strangersEmail)
        }
    }

    // MARK: Steps

    /// Begins a change and returns the link's token.
    private func change(
        of stranger: SignedIn, to address: String, _ fixture: ProviderFixture
    ) async throws -> String {
        _ = try await fixture.gateway.requestEmailChange(address, stranger.session.accessToken)
        let link = try await fixture.gateway.inner.linkToken(to: address, page: "change-email")
        fixture.gateway.time.advance(by: .seconds(1))
        return link
    }

    /// The victim signs in.
    private func arrive(
        _ arrival: Arrival, _ fixture: ProviderFixture
    ) async throws -> (account: GatewayV1.Account?, session: GatewayV1.Session?) {
        let gateway = fixture.gateway
        let context = gateway.context(address: "203.0.113.1")
        switch arrival {
        case .provider:
            let answer = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email), device: "victim's",
                in: context)
            return (answer.account, answer.session)
        case .forgottenPassword:
            _ = try await gateway.passwords.requestPasswordReset(
                .init(email: Self.email), context)
            let answer = try await gateway.passwords.resetPassword(
                .init(
                    token: try await gateway.inner.linkToken(
                        to: Self.email, page: "reset-password"),
                    password: .init(text: Self.victims), device: GatewayFixture.device("victim's")),
                context)
            return (answer.account, answer.session)
        }
    }

    /// The attacker opens the link in his session, then outside it with his password, and then
    /// tries to sign in with the victim's address.
    private func expectWorthless(
        _ link: String, of stranger: SignedIn, _ code: ErrorCode, _ fixture: ProviderFixture
    ) async throws {
        let attempts: [(access: String?, password: String)] = [
            (stranger.session.accessToken, ""), (nil, Self.strangers),
        ]
        for (access, password) in attempts {
            let error = try await refusal {
                try await fixture.gateway.confirmEmailChange(
                    link, access: access, password: password)
            }
            #expect(error.code == code)
        }
        let error = try await refusal {
            try await fixture.gateway.signIn(Self.email, password: Self.strangers)
        }
        #expect(error.code == .invalidCredential)
    }
}
