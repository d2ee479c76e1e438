import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-14: a user who signs in otherwise adds a password", .timeLimit(.minutes(1)))
struct LinkPasswordTests {
    private static let new = "Added8Password"

    /// Somebody who signs in with Google alone.
    private func person(_ fixture: ProviderFixture) async throws -> GatewayV1.Session {
        let signedIn = try await fixture.signIn(
            by: try await fixture.googleToken(of: "117", email: "ada@example.org"))
        return try #require(signedIn.session)
    }

    private func link(
        _ password: String = new, in session: GatewayV1.Session?, _ fixture: ProviderFixture,
        device: String = "d1", key: String? = nil
    ) async throws -> [String] {
        try await fixture.gateway.methods.linkPassword(
            .init(password: .init(text: password), device: GatewayFixture.device(device)),
            fixture.gateway.context(key).bearing(session?.accessToken)
        ).account?.methods ?? []
    }

    @Test("G-14: it signs in from then on, and the session goes on")
    func adds() async throws {
        try await ProviderFixture.with { fixture in
            let session = try await person(fixture)
            #expect(
                try await link(in: session, fixture, key: "k").sorted() == ["google", "password"])
            #expect(
                try await link(in: session, fixture, key: "k").sorted() == ["google", "password"])
            let signedIn = try await fixture.gateway.signIn(password: Self.new)
            #expect(signedIn.account.methods.sorted() == ["google", "password"])
            #expect(try await fixture.isSignedIn(session))
            let again = try await refusal { try await link(in: session, fixture) }
            #expect(again.code == .providerAlreadyLinked)
        }
    }

    @Test("R-03: each call counts as a write of the account, and as a new password of the address")
    func charges() async throws {
        try await ProviderFixture.with { fixture in
            let session = try await person(fixture)
            let account = try #require(
                try await fixture.gateway.check(session.accessToken).account
            ).accountId
            func left() throws -> [UInt32] {
                [
                    try fixture.gateway.inner.left("document-write-by-account", account),
                    try fixture.gateway.inner.left("password-check-by-address", "192.0.2.7"),
                ]
            }
            // A weak password is no row of the audit trail.
            let weak = try await refusal { try await link("short", in: session, fixture) }
            #expect(weak.code == .weakPassword)
            #expect(try left() == [60, 59])
            _ = try await link(in: session, fixture)
            #expect(try left() == [59, 58])
            _ = try await refusal { try await link(in: session, fixture) }
            #expect(try left() == [58, 57])
        }
    }

    @Test("B5: devices that are known under the email are forgotten, and this one is known")
    func devices() async throws {
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let ada = try await fixture.provedAccount()
            _ = try await gateway.signIn(device: "thief")
            _ = try await fixture.link(
                try await fixture.googleToken(of: "117", email: "ada@example.org"),
                to: ada.session)
            _ = try await fixture.unlink("password", from: ada.session)
            gateway.time.advance(by: .seconds(1))
            _ = try await link(in: ada.session, fixture, device: "owner")
            for number in 0..<5 {
                _ = try await refusal {
                    try await gateway.signIn(
                        password: "Wrong8Horses", device: "stranger",
                        in: gateway.context(address: "198.51.100.\(number)"))
                }
            }
            let thief = try await refusal {
                try await gateway.signIn(password: "Guess8Horses", device: "thief")
            }
            #expect(thief.code == .tooManyRequests)
            gateway.time.advance(by: .seconds(1))
            _ = try await gateway.signIn(password: Self.new, device: "owner")
        }
    }

    @Test("G-13, G-14: a recent proof, a verified email and an account are required")
    func refused() async throws {
        try await ProviderFixture.with { fixture in
            let session = try await person(fixture)
            fixture.gateway.time.advance(by: .seconds(300))
            let late = try await refusal { try await link(in: session, fixture) }
            #expect(
                late.code == .requiresRecentLogin && late.acceptableProofs == ["provider_token"])
            let bare = try await fixture.signIn(by: try await fixture.appleToken(of: "000.a"))
            let none = try await refusal { try await link(in: bare.session, fixture) }
            #expect(none.code == .operationNotAllowed)
            let guest = try await fixture.guest()
            let noAccount = try await refusal { try await link(in: guest.session, fixture) }
            #expect(noAccount.code == .operationNotAllowed)
            let stranger = try await refusal { try await link(in: nil, fixture) }
            #expect(stranger.code == .invalidAccessToken)
        }
    }
}
