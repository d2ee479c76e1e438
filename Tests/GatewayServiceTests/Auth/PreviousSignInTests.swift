import Contracts
import Messages
import NotificationService
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-08: a sign-in through the gateway reports the previous one", .timeLimit(.minutes(1)))
struct PreviousSignInTests {
    let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture() }

    private func signIn(
        on device: String, password: String = "Correct7Horse", language: String? = nil
    ) async throws -> GatewayV1.SignInWithPasswordResponse {
        var context = fixture.context()
        context.metadata[Metadata.Key.acceptLanguage] = language
        return try await fixture.auth.signInWithPassword(
            .init(
                email: "ada@example.org", password: .init(text: password),
                device: .init(deviceId: device, platform: "ios", name: "Ada's phone")), context)
    }

    @Test("a sign-in reports the previous one and a new device; a verified address gets a mail")
    func previousSignIn() async throws {
        let ada = try await fixture.signUp()
        _ = try await fixture.verify(
            try await fixture.inner.linkToken(), accessToken: ada.session.accessToken)
        let signedUpAt = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(90))
        let known = try #require(try await signIn(on: "d1").history)
        #expect(known == .init(previous: .init(signedInAtMs: signedUpAt, gapMs: 90_000)))
        let new = try #require(try await signIn(on: "d2").history)
        #expect(
            new
                == .init(previous: .init(signedInAtMs: signedUpAt + 90_000), isNewDevice: true))
        let mails = try await fixture.inner.mails()
        let notice = mails.filter { $0.text.contains("that we had not seen before") }
        #expect(notice.count == 1, "\(mails.map(\.text))")
        #expect(notice.first?.text.contains("Ada's phone") == true)
    }

    @Test("the place of the previous sign-in, and a new place, are passed on")
    func places() {
        let inner = IdentityV1.SignInHistory(
            lastSignInAtMs: 5, gapMs: 3, previousPlace: "Berlin, DE", isNewPlace: true)
        #expect(
            GatewayV1.SignInHistory(inner)
                == .init(
                    previous: .init(signedInAtMs: 5, gapMs: 3, place: "Berlin, DE"),
                    isNewPlace: true))
    }

    @Test("X-01: a limit's error is in the language of the call")
    func language() async throws {
        for _ in 0..<5 {
            _ = try await refusal { try await signIn(on: "d1", password: "Wrong7Horse") }
        }
        let error = try await refusal {
            try await signIn(on: "d1", password: "Wrong7Horse", language: "fr-CH, en;q=0.2")
        }
        #expect(error.sentence?.hasPrefix("Trop de tentatives.") == true, "\(error)")
    }
}
