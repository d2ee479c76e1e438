import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-14: a user links, unlinks and lists sign-in methods", .timeLimit(.minutes(1)))
struct SignInMethodTests {
    private func names(
        _ fixture: ProviderFixture, _ session: GatewayV1.Session
    ) async throws -> [String] {
        try await fixture.gateway.methods.listSignInMethods(
            .init(), fixture.gateway.context().bearing(session.accessToken)
        ).methods.map(\.method)
    }

    @Test("G-14: a provider account with another email is linked by hand and then signs in")
    func link() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.gateway.signUp()
            fixture.gateway.time.advance(by: .seconds(1))
            let token = try await fixture.googleToken(of: "117", email: "work@example.com")
            #expect(
                try await fixture.link(token, to: ada.session).sorted() == ["google", "password"])
            #expect(try await names(fixture, ada.session) == ["password", "google"])
            let google = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "work@example.com"))
            #expect(google.account?.accountId == ada.account.accountId && !google.isNewUser)
            #expect(google.account?.email == "ada@example.org", "its own address stays")
        }
    }

    @Test("G-14: a provider account in use, or a second one of a provider, is not linked")
    func inUse() async throws {
        try await ProviderFixture.with { fixture in
            _ = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "bob@example.org"))
            let ada = try await fixture.gateway.signUp()
            let bobs = try await fixture.googleToken(of: "117", email: "bob@example.org")
            #expect(
                try await refusal { try await fixture.link(bobs, to: ada.session) }.code
                    == .credentialAlreadyInUse)
            _ = try await fixture.link(try await fixture.appleToken(of: "000.a"), to: ada.session)
            for subject in ["000.a", "000.b"] {
                let token = try await fixture.appleToken(of: subject)
                #expect(
                    try await refusal { try await fixture.link(token, to: ada.session) }.code
                        == .providerAlreadyLinked)
            }
        }
    }

    @Test("G-14: a method can be unlinked, but never the last one")
    func unlink() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.gateway.signUp()
            _ = try await fixture.link(try await fixture.appleToken(of: "000.a"), to: ada.session)
            #expect(
                try await refusal { try await fixture.unlink("google", from: ada.session) }.code
                    == .methodNotLinked)
            #expect(try await fixture.unlink("password", from: ada.session) == ["apple"])
            #expect(
                try await refusal { try await fixture.gateway.signIn() }.code == .invalidCredential)
            // A session from the same millisecond as the unlinking has ended with it.
            fixture.gateway.time.advance(by: .milliseconds(2))
            let apple = try await fixture.signIn(by: try await fixture.appleToken(of: "000.a"))
            #expect(apple.account?.accountId == ada.account.accountId)
            let last = try await refusal { try await fixture.unlink("apple", from: apple.session) }
            #expect(last.code == .lastMethod)
        }
    }

    @Test("R-03: refused links and removals, each a row of the audit trail, count as writes")
    func refusedChanges() async throws {
        try await ProviderFixture.with { fixture in
            _ = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "bob@example.org"))
            let ada = try await fixture.gateway.signUp()
            // A refusal does not use the token up.
            let bobs = try await fixture.googleToken(of: "117", email: "bob@example.org")
            for _ in 0..<30 {
                let link = try await refusal { try await fixture.link(bobs, to: ada.session) }
                #expect(link.code == .credentialAlreadyInUse)
                let removal = try await refusal {
                    try await fixture.unlink("apple", from: ada.session)
                }
                #expect(removal.code == .methodNotLinked)
            }
            let limited = try await refusal { try await fixture.link(bobs, to: ada.session) }
            #expect(limited.code == .tooManyRequests && limited.retryAfter == .seconds(60))
            let left = try fixture.gateway.inner.left(
                "failed-provider-by-account", ada.account.accountId)
            #expect(left == 5, "a valid token is no failure")
        }
    }

    @Test("R-03: a refused link of a number counts as a write, and not as a guess at a code")
    func refusedNumber() async throws {
        let fixture = try await GatewayFixture()
        let bobs = try await fixture.sentCode()
        _ = try await fixture.signInByCode(bobs.request, bobs.code)
        let ada = try await fixture.signUp()
        let context = fixture.context().bearing(ada.session.accessToken)
        let sent = try await fixture.sentCode(
            GatewayFixture.number, .link, accessToken: ada.session.accessToken)
        for _ in 0..<3 {
            let error = try await refusal {
                try await fixture.phone.linkPhone(
                    .init(
                        requestId: sent.request, phoneNumber: GatewayFixture.number,
                        code: sent.code), context)
            }
            #expect(error.code == .credentialAlreadyInUse)
        }
        #expect(
            try fixture.inner.left("document-write-by-account", ada.account.accountId) == 60 - 3)
        #expect(try fixture.inner.left("phone-code-guess", GatewayFixture.number) == 5)
    }

    @Test("G-13, G-14: both need a recent proof, for example a new provider token")
    func recentProof() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "ada@example.org"))
            let session = try #require(ada.session)
            fixture.gateway.time.advance(by: .seconds(300))
            let token = try await fixture.appleToken(of: "000.a")
            let refused = try await refusal { try await fixture.link(token, to: session) }
            #expect(
                refused.code == .requiresRecentLogin
                    && refused.acceptableProofs == ["provider_token"])
            let named = try await refusal {
                try await fixture.gateway.accountSessions.checkRecentProof(
                    .init(kinds: [.providerToken]),
                    fixture.gateway.context().bearing(session.accessToken))
            }
            #expect(named.acceptableProofs == ["provider_token"])
            let proved = try await reauthenticate(
                fixture, session, try await fixture.googleToken(of: "117", email: "ada@example.org")
            )
            #expect(proved.authenticatedAtMs == fixture.gateway.time.now().milliseconds)
            #expect(try await fixture.link(token, to: session).sorted() == ["apple", "google"])
            #expect(try await fixture.unlink("google", from: session) == ["apple"])
        }
    }

    @Test("G-13: another user's provider account is no proof")
    func strangersProof() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "ada@example.org"))
            _ = try await fixture.signIn(
                by: try await fixture.googleToken(of: "666", email: "eve@example.org"))
            fixture.gateway.time.advance(by: .seconds(300))
            let session = try #require(ada.session)
            for token in [
                try await fixture.googleToken(of: "666", email: "eve@example.org"),
                try await fixture.googleToken(of: "999", email: "ada@example.org"),
                try await fixture.appleToken(of: "000.a", email: "ada@example.org"),
            ] {
                await #expect(throws: ServiceError.self) {
                    _ = try await reauthenticate(fixture, session, token)
                }
            }
            let refused = try await refusal {
                try await fixture.gateway.accountSessions.checkRecentProof(
                    .init(), fixture.gateway.context().bearing(session.accessToken))
            }
            #expect(refused.code == .requiresRecentLogin)
        }
    }

    private func reauthenticate(
        _ fixture: ProviderFixture, _ session: GatewayV1.Session, _ token: GatewayV1.ProviderToken
    ) async throws -> GatewayV1.ReauthenticateResponse {
        try await fixture.gateway.accountSessions.reauthenticate(
            .init(
                device: GatewayFixture.device("d1"),
                proof: .providerToken(token)),
            fixture.gateway.context().bearing(session.accessToken))
    }

    @Test("G-14: without a live session nothing is returned or changed")
    func stranger() async throws {
        try await ProviderFixture.with { fixture in
            let ada = try await fixture.gateway.signUp()
            _ = try await fixture.gateway.signOut(.accessToken(ada.session.accessToken))
            for token in [nil, "x", ada.session.accessToken] {
                let context = fixture.gateway.context()
                let codes = [
                    try await refusal {
                        try await fixture.gateway.methods.listSignInMethods(
                            .init(), context.bearing(token))
                    }.code,
                    try await refusal {
                        try await fixture.gateway.methods.unlinkMethod(
                            .init(method: "password"), context.bearing(token))
                    }.code,
                    try await refusal {
                        try await fixture.gateway.methods.linkProvider(
                            .init(), context.bearing(token))
                    }.code,
                ]
                #expect(Set(codes).isSubset(of: [.invalidAccessToken, .sessionEnded]))
            }
            #expect(try await fixture.gateway.signIn().account.methods == ["password"])
        }
    }
}
