import Contracts
import Messages
import NotificationService
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

/// The attacks of Sudhodanan & Paverd, "Pre-hijacked accounts" (USENIX Security 2022): an attacker
/// creates an account with a victim's address before the victim does, and waits until the victim
/// uses it.
@Suite("X-04: an attacker gains nothing by preparing an account", .timeLimit(.minutes(1)))
struct HijackingTests {
    private static let email = "victim@example.org"
    private static let strangers = "Strangers7Password"

    /// The victim signs in with Google.
    private func victim(
        _ fixture: ProviderFixture
    ) async throws -> GatewayV1.SignInWithProviderResponse {
        try await fixture.signIn(
            by: try await fixture.googleToken(of: "117", email: Self.email), device: "victim's",
            in: fixture.gateway.context(address: "203.0.113.1"))
    }

    @Test("X-04, classic-federated merge: the attacker's password no longer signs in")
    func classicFederatedMerge() async throws {
        try await ProviderFixture.with { fixture in
            let stranger = try await fixture.gateway.signUp(Self.email, password: Self.strangers)
            let victim = try await victim(fixture)
            #expect(victim.account?.accountId == stranger.account.accountId, "documents stay")
            #expect(victim.removedMethods == ["password"] && victim.isLinked)
            #expect(victim.account?.methods == ["google"] && victim.account?.emailVerified == true)
            let error = try await refusal {
                try await fixture.gateway.signIn(Self.email, password: Self.strangers)
            }
            #expect(error.code == .invalidCredential)
            #expect(try await fixture.isSignedIn(victim.session))
            let mails = try await fixture.gateway.inner.mails(to: Self.email)
            #expect(mails.contains { $0.subject.contains("secured your account") })
        }
    }

    @Test("X-04, unexpired session: the attacker's sessions end, in the app and for verifiers")
    func unexpiredSession() async throws {
        try await ProviderFixture.with { fixture in
            let stranger = try await fixture.gateway.signUp(Self.email, password: Self.strangers)
            let second = try await fixture.gateway.signIn(Self.email, password: Self.strangers)
            let victim = try await victim(fixture)
            for session in [stranger.session, second.session] {
                #expect(try await !fixture.isSignedIn(session))
                #expect(
                    try await refusal { try await fixture.gateway.refresh(session.refreshToken) }
                        .code
                        == .sessionEnded)
            }
            #expect(try await fixture.isSignedIn(victim.session))
        }
    }

    @Test("X-04, trojan identifier: a method that the attacker had linked does not sign in")
    func trojanIdentifier() async throws {
        try await ProviderFixture.with { fixture in
            let stranger = try await fixture.gateway.signUp(Self.email, password: Self.strangers)
            _ = try await fixture.link(
                try await fixture.appleToken(of: "000.eve", email: "eve@example.org"),
                to: stranger.session)
            let victim = try await victim(fixture)
            #expect(victim.removedMethods.sorted() == ["apple", "password"])
            #expect(victim.account?.methods == ["google"])
            let eve = try await fixture.signIn(
                by: try await fixture.appleToken(of: "000.eve", email: "eve@example.org"),
                in: fixture.gateway.context(address: "198.51.100.66"))
            #expect(eve.isNewUser && eve.account?.accountId != victim.account?.accountId)
        }
    }

    @Test("X-04, pending links: links mailed before the owner's sign-in change nothing afterwards")
    func pendingLinks() async throws {
        try await ProviderFixture.with { fixture in
            _ = try await fixture.gateway.signUp(Self.email, password: Self.strangers)
            let verification = try await fixture.gateway.inner.linkToken(to: Self.email)
            _ = try await fixture.gateway.passwords.requestPasswordReset(
                .init(email: Self.email), fixture.gateway.context())
            let reset = try await fixture.gateway.inner.linkToken(
                to: Self.email, page: "reset-password")
            let victim = try await victim(fixture)
            let verified = try await refusal {
                try await fixture.gateway.verify(verification, password: Self.strangers)
            }
            let changed = try await refusal {
                try await fixture.gateway.passwords.resetPassword(
                    .init(token: reset, password: .init(text: Self.strangers)),
                    fixture.gateway.context()
                )
            }
            #expect(verified.code == .invalidLink && changed.code == .invalidLink)
            #expect(try await fixture.isSignedIn(victim.session))
        }
    }

    @Test("X-04, non-verifying provider: an unverified address reserves and opens no account")
    func nonVerifyingProvider() async throws {
        try await ProviderFixture.with { fixture in
            let stranger = try await fixture.signIn(
                by: try await fixture.googleToken(of: "666", email: Self.email, isVerified: false))
            #expect(stranger.account?.email == "")
            let victim = try await fixture.gateway.signUp(Self.email)
            #expect(victim.account.accountId != stranger.account?.accountId)
            #expect(victim.account.methods == ["password"])
            let again = try await fixture.signIn(
                by: try await fixture.googleToken(of: "666", email: Self.email, isVerified: false))
            #expect(again.account?.accountId == stranger.account?.accountId)
        }
    }

    @Test("X-04, a guest left behind: its tokens do not work for the account that it became")
    func guestLeftBehind() async throws {
        try await ProviderFixture.with { fixture in
            let planted = try await fixture.guest()
            let victim = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email), device: "victim's",
                accessToken: planted.session?.accessToken ?? "")
            #expect(victim.isUpgraded)
            // Before anything is delivered: a guest's session is no recent proof (G-13).
            let token = try await fixture.appleToken(of: "000.eve")
            await #expect(throws: ServiceError.self) {
                _ = try await fixture.link(token, to: planted.session)
            }
            #expect(try await !fixture.isSignedIn(planted.session))
            #expect(try await fixture.isSignedIn(victim.session))
            let methods = try await fixture.gateway.check(victim.session?.accessToken ?? "")
            #expect(methods.account?.methods == ["google"])
        }
    }

    @Test("X-04, the other way: an attacker's sign-up does not open a provider's account")
    func signUpAfterwards() async throws {
        try await ProviderFixture.with { fixture in
            let victim = try await victim(fixture)
            let error = try await refusal {
                try await fixture.gateway.signUp(Self.email, password: Self.strangers)
            }
            #expect(error.code == .emailAlreadyInUse)
            let signIn = try await refusal {
                try await fixture.gateway.signIn(Self.email, password: Self.strangers)
            }
            #expect(signIn.code == .invalidCredential)
            #expect(
                try await fixture.gateway.check(victim.session?.accessToken ?? "").account?.methods
                    == ["google"])
        }
    }
}
