import Contracts
import JSON
import Messages
import ProviderIssuer
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("A provider's notices take effect through the gateway", .timeLimit(.minutes(1)))
struct ProviderNoticesTests {
    private static let relay = "x7k2@privaterelay.appleid.com"

    private static func notice(
        _ type: String, of subject: String, in fixture: ProviderFixture
    ) throws -> GatewayV1.ReceiveProviderNoticeRequest {
        let events: JSONObject = [
            "type": .string(type), "sub": .string(subject),
            "event_time": .integer(fixture.gateway.time.now().milliseconds),
            "email": .string(relay), "is_private_email": .string("true"),
        ]
        let claims = IssuedClaims([
            ("jti", .string(type)), ("events", .string(JSONWriter.text(events))),
        ])
        return .init(provider: "apple", payload: try fixture.apple.token(claims))
    }

    @Test("G-05, G-24: a consent revoked at Apple ends the sessions with that reason")
    func revoked() async throws {
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let ada = try await fixture.provedAccount()
            let token = try await fixture.appleToken(of: "001", email: "ada@example.org")
            let signedIn = try await fixture.signIn(by: token)
            #expect(signedIn.account?.accountId == ada.account.accountId)
            gateway.time.advance(by: .seconds(60))
            _ = try await gateway.providerNotices.receiveProviderNotice(
                try Self.notice("consent-revoked", of: "001", in: fixture), gateway.context())
            try await gateway.inner.settle()

            let state = try await gateway.check(signedIn.session?.accessToken ?? "")
            #expect(!state.authenticated && state.reason == .providerRevoked)
            #expect(state.endReason == .providerRevoked)
            let refusal = try await refusal {
                try await gateway.refresh(signedIn.session?.refreshToken ?? "")
            }
            #expect(refusal.code == .providerRevoked)

            gateway.time.advance(by: .seconds(1))
            // The password still signs in, and Apple's next consent links the method again.
            let back = try await gateway.signIn()
            #expect(back.account.accountId == ada.account.accountId)
            #expect(back.account.methods == ["password"])
            let again = try await fixture.signIn(
                by: try await fixture.appleToken(of: "001", email: "ada@example.org"))
            #expect(again.account?.accountId == ada.account.accountId && again.isLinked)
        }
    }

    @Test("G-04: sessions that Google has revoked end for safety; the next sign-in is not affected")
    func google() async throws {
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let signedIn = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "ada@example.org"))
            gateway.time.advance(by: .seconds(60))
            let claims = IssuedClaims.googleEvent(
                "sessions-revoked", of: "117", issuer: fixture.google.issuer)
            // Apple's key signs only for Apple.
            for issuer in [fixture.apple, fixture.google] {
                let live = try await fixture.isSignedIn(signedIn.session)
                #expect(live)
                _ = try await gateway.providerNotices.receiveProviderNotice(
                    .init(
                        provider: "google",
                        payload: try fixture.google.event(claims, key: issuer.key)),
                    gateway.context())
            }
            try await gateway.inner.settle()
            let state = try await gateway.check(signedIn.session?.accessToken ?? "")
            #expect(!state.authenticated && state.endReason == .security)
            gateway.time.advance(by: .seconds(1))
            let again = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "ada@example.org"))
            let live = try await fixture.isSignedIn(again.session)
            #expect(live && again.account?.accountId == signedIn.account?.accountId)
        }
    }

    @Test("G-05: a relay address that is turned off gets no mail until it is turned on")
    func relay() async throws {
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            _ = try await fixture.signIn(
                by: try await fixture.appleToken(of: "002", email: Self.relay, isPrivate: true))
            func stopped() async throws -> Int64 {
                try await gateway.inner.settle()
                return try await gateway.inner.count(
                    gateway.inner.notificationStore, "stopped_address")
            }
            #expect(try await stopped() == 0)
            gateway.time.advance(by: .seconds(60))
            _ = try await gateway.providerNotices.receiveProviderNotice(
                try Self.notice("email-disabled", of: "002", in: fixture), gateway.context())
            #expect(try await stopped() == 1)
            gateway.time.advance(by: .seconds(60))
            _ = try await gateway.providerNotices.receiveProviderNotice(
                try Self.notice("email-enabled", of: "002", in: fixture), gateway.context())
            #expect(try await stopped() == 0)
        }
    }

    @Test("G-05: forged notices get the same response as real ones and end no session")
    func forged() async throws {
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let signedIn = try await fixture.signIn(
                by: try await fixture.appleToken(of: "003", email: Self.relay, isPrivate: true))
            gateway.time.advance(by: .seconds(60))
            let answer = try await gateway.providerNotices.receiveProviderNotice(
                try Self.notice("consent-revoked", of: "nobody", in: fixture), gateway.context())
            let events = #"{"type":"consent-revoked","sub":"003"}"#
            let claims = IssuedClaims([
                ("jti", .string("j")), ("events", .string(events)),
                ("iss", .string(fixture.apple.issuer)),
            ])
            // Google's key signs only for Google.
            for payload in ["", "eyJ.e30.", try fixture.google.token(claims)] {
                let forged = try await gateway.providerNotices.receiveProviderNotice(
                    .init(provider: "apple", payload: payload), gateway.context())
                #expect(forged == answer)
            }
            #expect(try await fixture.isSignedIn(signedIn.session))
        }
    }
}
