import GatewayService
import Messages
import NotificationService
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-12: a user changes the password through the gateway", .timeLimit(.minutes(1)))
struct ChangePasswordTests {
    private static let old = "Correct7Horse"
    private static let new = "Owners9Password"

    let house: GatewayFixture
    let ada: SignedIn

    init() async throws {
        house = try await GatewayFixture()
        ada = try await house.signUp()
    }

    private func change(
        _ current: String = old, _ new: String = new, token: String? = nil, key: String? = nil
    ) async throws {
        _ = try await house.passwords.changePassword(
            .init(
                accessToken: token ?? ada.session.accessToken,
                currentPassword: .init(text: current),
                newPassword: .init(text: new), device: .init(deviceId: "d1", platform: "cli")),
            house.context(key))
    }

    private func left() throws -> UInt32 {
        try house.inner.left("failed-sign-in-by-account", "ada@example.org")
    }

    @Test("G-12: the calling session remains and all others end")
    func changes() async throws {
        let other = try await house.signIn(device: "d2")
        try await change()
        try await house.inner.settle()
        #expect(try await house.check(ada.session.accessToken).authenticated)
        _ = try await house.refresh(ada.session.refreshToken)
        #expect(try await house.check(other.session.accessToken).reason == .security)
        #expect(try await refusal { try await house.signIn() }.code == .invalidCredential)
        house.time.advance(by: .seconds(1))
        _ = try await house.signIn(password: Self.new)
    }

    @Test("G-12: wrong passwords count as failed sign-ins, with or without idempotency key")
    func guesses() async throws {
        for number in 0..<5 {
            let key = number % 2 == 0 ? nil : "k"
            let error = try await refusal { try await change("Wrong7Horse", key: key) }
            #expect(error.code == .invalidCredential)
        }
        #expect(try await refusal { try await change() }.code == .tooManyRequests)
        #expect(try await refusal { try await house.signIn() }.code == .tooManyRequests)
        #expect(try await house.check(ada.session.accessToken).authenticated)
    }

    @Test("G-12: a right password, a weak new one and a disabled account are not charged")
    func free() async throws {
        #expect(try await refusal { try await change(Self.old, "short") }.code == .weakPassword)
        #expect(try left() == 5)
        try await change()
        #expect(try left() == 5)
        try await house.inner.setStatus(2)
        let error = try await refusal { try await change(Self.new, Self.old) }
        #expect(error.code == .accountDisabled)
        #expect(try left() == 5)
    }

    @Test("G-12: without a live session the password is not checked")
    func stranger() async throws {
        for token in ["", "x", ada.session.refreshToken] {
            let error = try await refusal { try await change(token: token) }
            #expect(error.code == .invalidAccessToken)
        }
        _ = try await house.signOut(.accessToken(ada.session.accessToken))
        #expect(try await refusal { try await change() }.code == .invalidAccessToken)
        #expect(try left() == 5)
    }

    @Test("G-25: a repeated change is done once, and both calls succeed")
    func repeated() async throws {
        try await change(key: "k")
        try await change(key: "k")
        #expect(try left() == 5)
        let told = try await house.inner.mails().filter { $0.subject.contains("was changed") }
        #expect(told.count == 1)
    }
}
