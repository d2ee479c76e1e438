import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-07: guests are created and upgraded through the gateway", .timeLimit(.minutes(1)))
struct GuestUpgradeTests {
    private static let email = "ada@example.org"

    @Test("G-07, G-01: a guest has an account and a session, no steps to do and no proof")
    func guest() async throws {
        try await ProviderFixture.with { fixture in
            let guest = try await fixture.guest()
            #expect(guest.account?.isGuest == true)
            #expect(guest.account?.methods == [] && guest.account?.email == "")
            let token = guest.session?.accessToken ?? ""
            let state = try await fixture.gateway.check(token)
            #expect(state.authenticated && state.requiredActions.isEmpty)
            #expect(state.account?.accountId == guest.account?.accountId)
            #expect(state.account?.isGuest == true)
            let methods = try await fixture.gateway.methods.listSignInMethods(
                .init(), fixture.gateway.context().bearing(token))
            #expect(methods.methods.isEmpty)
            let proof = try await refusal {
                try await fixture.gateway.accountSessions.checkRecentProof(
                    .init(), fixture.gateway.context().bearing(token))
            }
            #expect(proof.code == .requiresRecentLogin && proof.acceptableProofs == [])
        }
    }

    @Test("G-07, S-02: a guest who returns within half a year remains that guest, for five years")
    func longLived() async throws {
        try await ProviderFixture.with { fixture in
            var session = try #require(try await fixture.guest().session)
            for _ in 0..<3 {
                fixture.gateway.time.advance(by: .seconds(179 * 86_400))
                session = try await fixture.gateway.refresh(session.refreshToken)
            }
            #expect(try await fixture.gateway.check(session.accessToken).account?.isGuest == true)
        }
    }

    @Test("G-07: a provider upgrades a guest to an account with its id; the guest's session ends")
    func byProvider() async throws {
        try await ProviderFixture.with { fixture in
            let guest = try await fixture.guest()
            let asking = guest.session?.accessToken ?? ""
            let token = try await fixture.googleToken(of: "117", email: Self.email)
            let context = fixture.gateway.context("k")
            let upgraded = try await fixture.signIn(by: token, accessToken: asking, in: context)
            #expect(upgraded.isUpgraded && upgraded.isNewUser && upgraded.collision == nil)
            #expect(upgraded.account?.accountId == guest.account?.accountId)
            #expect(upgraded.account?.isGuest == false)
            #expect(try await !fixture.isSignedIn(guest.session))
            #expect(try await fixture.isSignedIn(upgraded.session))
            let again = try await fixture.signIn(by: token, accessToken: asking, in: context)
            #expect(again.isUpgraded && again.account == upgraded.account, "G-25: a repeat")
            #expect(again.session?.refreshToken == upgraded.session?.refreshToken)
            fixture.gateway.time.advance(by: .seconds(1))
            let back = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email))
            #expect(!back.isNewUser && back.account?.accountId == guest.account?.accountId)
        }
    }

    @Test("G-07: email and password upgrade a guest too; verification is still to do")
    func byPassword() async throws {
        try await ProviderFixture.with { fixture in
            let guest = try await fixture.guest()
            let asking = guest.session?.accessToken ?? ""
            let context = fixture.gateway.context("k")
            let upgraded = try await fixture.gateway.signUp(accessToken: asking, in: context)
            #expect(upgraded.account.accountId == guest.account?.accountId)
            #expect(!upgraded.account.isGuest && upgraded.account.methods == ["password"])
            #expect(try await !fixture.isSignedIn(guest.session))
            #expect(
                try await fixture.gateway.check(upgraded.session.accessToken).requiredActions == [
                    .verifyEmail
                ]
            )
            let again = try await fixture.gateway.signUp(accessToken: asking, in: context)
            #expect(again.account == upgraded.account, "G-25: a repeat")
            #expect(again.session.refreshToken == upgraded.session.refreshToken)
            fixture.gateway.time.advance(by: .seconds(1))
            #expect(
                try await fixture.gateway.signIn().account.accountId == guest.account?.accountId)
        }
    }

    @Test("G-07, X-02: a strict sign-up that waits for its link comes along to a provider")
    func pendingSignUp() async throws {
        try await ProviderFixture.with(enumeration: .strict) { fixture in
            let pending = try await fixture.gateway.signUp()
            #expect(pending.account.isGuest)
            let upgraded = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117"),
                accessToken: pending.session.accessToken)
            #expect(upgraded.account?.accountId == pending.account.accountId)
            #expect(upgraded.isUpgraded)
        }
    }

    @Test("G-25: a repeat in another language is the same call")
    func repeatInAnotherLanguage() async throws {
        try await ProviderFixture.with { fixture in
            var context = fixture.gateway.context("k")
            context.metadata[Metadata.Key.acceptLanguage] = "de"
            let first = try await fixture.guest(in: context)
            context.metadata[Metadata.Key.acceptLanguage] = "fr"
            let again = try await fixture.guest(in: context)
            #expect(again.account?.accountId == first.account?.accountId)
        }
    }

    @Test("X-02: a wrong password gets the same error in a guest's session and outside one")
    func wrongPassword() async throws {
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            _ = try await fixture.provedAccount()
            let guest = try await fixture.guest()
            var errors: [ServiceError] = []
            for token in [nil, guest.session?.accessToken] {
                errors.append(
                    try await refusal {
                        try await gateway.auth.signInWithPassword(
                            .init(
                                email: Self.email, password: .init(text: "Wrong7Horse"),
                                device: GatewayFixture.device("d1")),
                            gateway.context().bearing(token))
                    })
            }
            #expect(errors[0] == errors[1] && errors[0].code == .invalidCredential)
        }
    }

    @Test("D4 9.3: a taken email is an error; the guest remains and can use another method")
    func taken() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.provedAccount()
            let guest = try await fixture.guest()
            let asking = guest.session?.accessToken ?? ""
            let error = try await refusal {
                try await fixture.gateway.signUp(
                    password: "Guests8Password", accessToken: asking)
            }
            #expect(error.code == .emailAlreadyInUse)
            #expect(try await fixture.isSignedIn(guest.session))
            #expect(try await fixture.gateway.signIn().account.accountId == ada.account.accountId)
            let other = try await fixture.signIn(
                by: try await fixture.googleToken(of: "7", email: "guest@example.org"),
                accessToken: asking)
            #expect(other.isUpgraded && other.account?.accountId == guest.account?.accountId)
        }
    }

    @Test("G-07: a sign-in in an account's session ignores it, and adds nothing to that account")
    func signedIn() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.gateway.signUp()
            let token = try await fixture.googleToken(of: "117", email: "eve@example.org")
            let eve = try await fixture.signIn(by: token, accessToken: ada.session.accessToken)
            #expect(eve.isNewUser && !eve.isUpgraded && eve.collision == nil)
            #expect(eve.account?.accountId != ada.account.accountId)
            let state = try await fixture.gateway.check(ada.session.accessToken)
            #expect(state.account?.methods == ["password"])
        }
    }

    @Test("G-25: a guest created again by the same call is the same guest")
    func repeated() async throws {
        try await ProviderFixture.with { fixture in
            let first = try await fixture.guest(in: fixture.gateway.context("k"))
            let again = try await fixture.guest(in: fixture.gateway.context("k"))
            #expect(first.account == again.account)
            #expect(first.session?.refreshToken == again.session?.refreshToken)
            #expect(
                try fixture.gateway.inner.left("guest-sign-up-by-address", "192.0.2.7") == 29)
        }
    }
}
