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
        _ type: String, of subject: String, in town: ProviderFixture
    ) throws -> GatewayV1.ReceiveRequest {
        let events: JSONObject = [
            "type": .string(type), "sub": .string(subject),
            "event_time": .integer(town.house.time.now().milliseconds),
            "email": .string(relay), "is_private_email": .string("true"),
        ]
        let claims = IssuedClaims([
            ("jti", .string(type)), ("events", .string(JSONWriter.text(events))),
        ])
        return .init(provider: "apple", payload: try town.apple.token(claims))
    }

    @Test("G-05, G-24: a consent revoked at Apple ends the sessions with that reason")
    func revoked() async throws {
        try await ProviderFixture.with { town in
            let house = town.house
            let ada = try await town.provedAccount()
            let token = try await town.appleToken(of: "001", email: "ada@example.org")
            let signedIn = try await town.signIn(by: token)
            #expect(signedIn.account?.accountId == ada.account.accountId)
            house.time.advance(by: .seconds(60))
            _ = try await house.providerNotices.receive(
                try Self.notice("consent-revoked", of: "001", in: town), house.context())
            try await house.inner.settle()

            let state = try await house.check(signedIn.session?.accessToken ?? "")
            #expect(!state.authenticated && state.reason == .providerRevoked)
            #expect(state.endReason == .providerRevoked)
            let refusal = try await refusal {
                try await house.refresh(signedIn.session?.refreshToken ?? "")
            }
            #expect(refusal.code == .providerRevoked)

            house.time.advance(by: .seconds(1))
            // The password still signs in, and Apple's next consent links the method again.
            let back = try await house.signIn()
            #expect(back.account.accountId == ada.account.accountId)
            #expect(back.account.methods == ["password"])
            let again = try await town.signIn(
                by: try await town.appleToken(of: "001", email: "ada@example.org"))
            #expect(again.account?.accountId == ada.account.accountId && again.isLinked)
        }
    }

    @Test("G-05: a relay address that is turned off gets no mail until it is turned on")
    func relay() async throws {
        try await ProviderFixture.with { town in
            let house = town.house
            _ = try await town.signIn(
                by: try await town.appleToken(of: "002", email: Self.relay, isPrivate: true))
            func stopped() async throws -> Int64 {
                try await house.inner.settle()
                return try await house.inner.count(
                    house.inner.notificationStore, "stopped_address")
            }
            #expect(try await stopped() == 0)
            house.time.advance(by: .seconds(60))
            _ = try await house.providerNotices.receive(
                try Self.notice("email-disabled", of: "002", in: town), house.context())
            #expect(try await stopped() == 1)
            house.time.advance(by: .seconds(60))
            _ = try await house.providerNotices.receive(
                try Self.notice("email-enabled", of: "002", in: town), house.context())
            #expect(try await stopped() == 0)
        }
    }

    @Test("G-05: forged notices get the same response as real ones and end no session")
    func forged() async throws {
        try await ProviderFixture.with { town in
            let house = town.house
            let signedIn = try await town.signIn(
                by: try await town.appleToken(of: "003", email: Self.relay, isPrivate: true))
            house.time.advance(by: .seconds(60))
            let answer = try await house.providerNotices.receive(
                try Self.notice("consent-revoked", of: "nobody", in: town), house.context())
            let events = #"{"type":"consent-revoked","sub":"003"}"#
            let claims = IssuedClaims([
                ("jti", .string("j")), ("events", .string(events)),
                ("iss", .string(town.apple.issuer)),
            ])
            // Google's key signs only for Google.
            for payload in ["", "eyJ.e30.", try town.google.token(claims)] {
                let forged = try await house.providerNotices.receive(
                    .init(provider: "apple", payload: payload), house.context())
                #expect(forged == answer)
            }
            #expect(try await town.isSignedIn(signedIn.session))
        }
    }
}
