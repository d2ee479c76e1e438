import Messages
import ProviderIssuer
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-04, G-05: a user signs in with a provider", .timeLimit(.minutes(1)))
struct SignInWithProviderTests {
    private static let email = "ada@example.org"

    @Test("G-04, G-08: the first sign-in creates an account, and the next one returns to it")
    func comesBack() async throws {
        try await ProviderFixture.with { fixture in
            let first = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email))
            #expect(first.isNewUser && !first.isLinked && !first.isUpgraded)
            #expect(first.account?.email == Self.email && first.account?.emailVerified == true)
            #expect(first.account?.methods == ["google"] && first.account?.isGuest == false)
            #expect(first.account?.displayName == "Ada Lovelace")
            let state = try await fixture.gateway.check(first.session?.accessToken ?? "")
            #expect(state.authenticated && state.requiredActions.isEmpty)
            let signedInAt = fixture.gateway.time.now().milliseconds
            fixture.gateway.time.advance(by: .seconds(86_400))
            let again = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email))
            #expect(!again.isNewUser && again.account?.accountId == first.account?.accountId)
            #expect(again.account?.lastSignIn == .lastSignInAtMs(signedInAt))
            #expect(again.session?.sessionId != first.session?.sessionId)
        }
    }

    @Test("G-05: Apple's relay address becomes the account's; the name comes from the app")
    func apple() async throws {
        try await ProviderFixture.with { fixture in
            let relay = "x7k2@privaterelay.appleid.com"
            let first = try await fixture.signIn(
                by: try await fixture.appleToken(
                    of: "000.a", email: relay, isPrivate: true, name: "Ada"))
            #expect(first.isNewUser && first.account?.displayName == "Ada")
            #expect(first.account?.email == relay && first.account?.emailVerified == true)
            let again = try await fixture.signIn(
                by: try await fixture.appleToken(of: "000.a", email: relay, isPrivate: true))
            #expect(!again.isNewUser && again.account?.displayName == "Ada", "kept")
        }
    }

    @Test("G-04: a token of another provider, app, nonce or key, or an old one, is rejected")
    func wrong() async throws {
        try await ProviderFixture.with { fixture in
            let good = try await fixture.googleToken(of: "117", email: Self.email)
            var swapped = good
            swapped.provider = "apple"
            var otherNonce = good
            otherNonce.nonce = try await fixture.googleToken(of: "117").nonce
            var cut = good
            cut.idToken = String(good.idToken.dropLast())
            var unknown = good
            unknown.provider = "myspace"
            for (token, code) in [
                (swapped, ErrorCode.invalidNonce), (otherNonce, .invalidNonce),
                (cut, .invalidProviderToken), (unknown, .operationNotAllowed),
                (.init(), .operationNotAllowed),
            ] {
                let address = "198.51.100.\(code.rawValue.utf8.count)"
                let error = try await refusal {
                    try await fixture.signIn(
                        by: token, in: fixture.gateway.context(address: address))
                }
                #expect(error.code == code)
            }
            fixture.gateway.time.advance(by: .seconds(86_400))
            #expect(try await refusal { try await fixture.signIn(by: good) }.code == .invalidNonce)
            let rows = try await fixture.gateway.inner.count(
                fixture.gateway.inner.identityStore, "accounts")
            #expect(rows == 0)
        }
    }

    @Test("G-05: a nonce is accepted once, so that a stolen response of a dialog is useless")
    func replayed() async throws {
        try await ProviderFixture.with { fixture in
            let token = try await fixture.googleToken(of: "117", email: Self.email)
            _ = try await fixture.signIn(by: token)
            #expect(try await refusal { try await fixture.signIn(by: token) }.code == .invalidNonce)
        }
    }

    @Test("X-06: a provider that is down is reported as such, and the attempt is not charged")
    func down() async throws {
        try await ProviderFixture.with { fixture in
            fixture.google.behave(.failing(503))
            let token = try await fixture.googleToken(of: "117", email: Self.email)
            for _ in 0..<6 {
                let error = try await refusal { try await fixture.signIn(by: token) }
                #expect(error.code == .providerUnavailable)
            }
            #expect(
                try fixture.gateway.inner.left("failed-provider-by-device", "192.0.2.7|d1") == 5)
        }
    }

    @Test("G-24: only the proven owner learns that an account is suspended")
    func suspended() async throws {
        try await ProviderFixture.with { fixture in
            _ = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email))
            try await fixture.gateway.inner.setStatus(2)
            let token = try await fixture.googleToken(of: "117", email: Self.email)
            #expect(
                try await refusal { try await fixture.signIn(by: token) }.code == .accountDisabled)
            var cut = token
            cut.idToken = String(token.idToken.dropLast())
            #expect(
                try await refusal { try await fixture.signIn(by: cut) }.code
                    == .invalidProviderToken)
        }
    }

    @Test("G-25: a repeated call is the same sign-in; another token under its key is rejected")
    func repeated() async throws {
        try await ProviderFixture.with { fixture in
            let token = try await fixture.googleToken(of: "117", email: Self.email)
            let first = try await fixture.signIn(by: token, in: fixture.gateway.context("k"))
            fixture.gateway.time.advance(by: .seconds(5))
            let again = try await fixture.signIn(by: token, in: fixture.gateway.context("k"))
            #expect(first.account == again.account && again.isNewUser)
            #expect(first.session?.refreshToken == again.session?.refreshToken)
            let other = try await fixture.googleToken(of: "118", email: "b@example.org")
            let error = try await refusal {
                try await fixture.signIn(by: other, in: fixture.gateway.context("k"))
            }
            #expect(error.code == .idempotencyKeyReused)
        }
    }
}
