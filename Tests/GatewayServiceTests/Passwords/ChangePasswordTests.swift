import Messages
import NotificationService
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-12: a user changes the password through the gateway", .timeLimit(.minutes(1)))
struct ChangePasswordTests {
    private static let old = "Correct7Horse"
    private static let new = "Owners9Password"

    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    private func change(
        _ current: String = old, _ new: String = new, token: String? = nil, key: String? = nil
    ) async throws {
        _ = try await fixture.passwords.changePassword(
            .init(
                currentPassword: .init(text: current),
                newPassword: .init(text: new), device: .init(deviceId: "d1", platform: "cli")),
            fixture.context(key).bearing(token ?? ada.session.accessToken))
    }

    private func left() throws -> UInt32 {
        try fixture.inner.left("failed-sign-in-by-account", "ada@example.org")
    }

    @Test("G-12: the calling session remains and all others end")
    func changes() async throws {
        let other = try await fixture.signIn(device: "d2")
        try await change()
        try await fixture.inner.settle()
        #expect(try await fixture.check(ada.session.accessToken).authenticated)
        _ = try await fixture.refresh(ada.session.refreshToken)
        #expect(try await fixture.check(other.session.accessToken).reason == .security)
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.signIn(password: Self.new)
    }

    @Test("G-12: wrong passwords count as failed sign-ins, with or without idempotency key")
    func guesses() async throws {
        for number in 0..<5 {
            let key = number % 2 == 0 ? nil : "k"
            let error = try await refusal { try await change("Wrong7Horse", key: key) }
            #expect(error.code == .invalidCredential)
        }
        #expect(try await refusal { try await change() }.code == .tooManyRequests)
        #expect(try await refusal { try await fixture.signIn() }.code == .tooManyRequests)
        #expect(try await fixture.check(ada.session.accessToken).authenticated)
    }

    @Test("G-12: a right password, a weak new one and a disabled account are not charged")
    func free() async throws {
        #expect(try await refusal { try await change(Self.old, "short") }.code == .weakPassword)
        #expect(try left() == 5)
        try await change()
        #expect(try left() == 5)
        try await fixture.inner.setStatus(2)
        let error = try await refusal { try await change(Self.new, Self.old) }
        #expect(error.code == .accountDisabled)
        #expect(try left() == 5)
    }

    @Test("I-02: a new password is charged to its address, also one that is refused")
    func checks() async throws {
        // The sign-up was the first of sixty.
        for _ in 0..<59 {
            #expect(try await refusal { try await change(Self.old, "short") }.code == .weakPassword)
        }
        let refused = try await refusal { try await change() }
        #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(60))
        #expect(try left() == 5, "no guess was charged")
        // Sign-ins have limits of their own.
        _ = try await fixture.signIn()
        fixture.time.advance(by: .seconds(60))
        try await change()
    }

    @Test("G-12: without a live session the password is not checked")
    func stranger() async throws {
        for token in ["x", ada.session.refreshToken] {
            let error = try await refusal { try await change(token: token) }
            #expect(error.code == .invalidAccessToken)
        }
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        #expect(try await refusal { try await change() }.code == .sessionEnded)
        #expect(try left() == 5)
    }

    @Test("G-25: a repeated change is done once, and both calls succeed")
    func repeated() async throws {
        try await change(key: "k")
        try await change(key: "k")
        #expect(try left() == 5)
        let mails = try await fixture.inner.mails().filter { $0.subject.contains("was changed") }
        #expect(mails.count == 1)
    }
}
