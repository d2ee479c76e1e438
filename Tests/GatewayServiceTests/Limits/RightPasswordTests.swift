import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-03: right passwords of one account are limited", .timeLimit(.minutes(1)))
struct RightPasswordTests {
    private static let limit = "sign-in-by-account"

    private func left(_ fixture: GatewayFixture) throws -> UInt32 {
        try fixture.inner.left(Self.limit, "ada@example.org")
    }

    @Test("120 sign-ins pass at once, then one in twelve minutes, from a known device too")
    func signIns() async throws {
        let fixture = try await GatewayFixture()
        _ = try await fixture.signUp()
        for number in 0..<120 {
            _ = try await fixture.signIn(device: "d\(number % 3)")
        }
        let hashed = try await fixture.inner.count(fixture.inner.identityStore, "audit")
        let refused = try await refusal { try await fixture.signIn() }
        #expect(refused.code == .tooManyRequests)
        #expect(try #require(refused.retryAfter) <= .seconds(720))
        #expect(
            try await fixture.inner.count(fixture.inner.identityStore, "audit") == hashed,
            "a refused one is no row")
        // Only who knows the password is counted, so others are not refused.
        _ = try await fixture.signUp(
            "eve@example.org", in: fixture.context(address: "198.51.100.1"))
        _ = try await fixture.signIn(
            "eve@example.org", in: fixture.context(address: "198.51.100.1"))
        fixture.time.advance(by: .seconds(720))
        _ = try await fixture.signIn()
        #expect(try await refusal { try await fixture.signIn() }.code == .tooManyRequests)
    }

    @Test("proofs and changes of the password count, and wrong passwords do not")
    func others() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        #expect(try left(fixture) == 120)
        for number in 0..<10 {
            _ = try await refusal {
                try await fixture.signIn(
                    password: "Wrong7Horse", device: "x\(number)",
                    in: fixture.context(address: "198.51.100.\(number)"))
            }
        }
        #expect(try left(fixture) == 120)
        let own = fixture.context().bearing(ada.session.accessToken)
        _ = try await fixture.accountSessions.reauthenticate(
            .init(
                device: GatewayFixture.device("d1"),
                proof: .password(.init(text: "Correct7Horse"))), own)
        #expect(try left(fixture) == 119)
        _ = try await fixture.passwords.changePassword(
            .init(
                currentPassword: .init(text: "Correct7Horse"),
                newPassword: .init(text: "Another7Horse"), device: GatewayFixture.device("d1")),
            own)
        #expect(try left(fixture) == 118)
    }
}
