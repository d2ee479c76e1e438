import GatewayService
import IdentityService
import Messages
import RPC
import RateLimitService
import ServiceRuntime
import TestSupport
import Testing

@Suite("R-03: an attacker cannot use limits against an owner", .timeLimit(.minutes(1)))
struct TurnedLimitTests {
    private func wish(
        _ house: GatewayFixture, _ email: String, from address: String
    ) async throws {
        _ = try await house.passwords.requestPasswordReset(
            .init(email: email), house.context(address: address))
    }

    /// Five wrong passwords from other addresses. They lock the account for unknown devices.
    private func siege(_ house: GatewayFixture) async throws {
        for number in 0..<5 {
            _ = try await refusal {
                try await house.signIn(
                    password: "Wrong8Horses", device: "stranger",
                    in: house.context(address: "198.51.100.\(number)"))
            }
        }
        let locked = try await refusal {
            try await house.signIn(device: "new", in: house.context(address: "203.0.113.9"))
        }
        #expect(locked.code == .tooManyRequests)
    }

    @Test("M3: the 21st reset request from one address is rejected, whatever emails it names")
    func resets() async throws {
        let house = try await GatewayFixture()
        for number in 0..<20 {
            try await wish(house, "user\(number)@example.org", from: "2001:db8:1:\(number)::1")
        }
        let error = try await refusal {
            try await wish(house, "ada@example.org", from: "2001:db8:1:ff::1")
        }
        #expect(error.code == .tooManyRequests)
        try await wish(house, "ada@example.org", from: "2001:db8:2::1")
    }

    @Test("B5: the device that signed up is known for sign-in and for re-authentication")
    func signedUp() async throws {
        let house = try await GatewayFixture()
        let ada = try await house.signUp()
        try await siege(house)
        _ = try await house.signIn()
        _ = try await house.accountSessions.reauthenticate(
            .init(
                accessToken: ada.session.accessToken, device: GatewayFixture.device("d1"),
                proof: .password("Correct7Horse")), house.context())
    }

    @Test("B5: the device of the session that verifies the address is known")
    func verified() async throws {
        let house = try await GatewayFixture()
        let ada = try await house.signUp(device: "first")
        let token = try await house.inner.linkToken()
        // `verify` calls from d1.
        _ = try await house.verify(token, accessToken: ada.session.accessToken)
        try await siege(house)
        _ = try await house.signIn(device: "d1")
    }

    @Test("B5: the device of a squatter is forgotten once the owner has reset the password")
    func squatter() async throws {
        let house = try await GatewayFixture()
        _ = try await house.signUp(device: "squatter")
        house.time.advance(by: .seconds(1))
        try await wish(house, "ada@example.org", from: "192.0.2.7")
        let token = try await house.inner.linkToken(page: "reset-password")
        _ = try await house.passwords.resetPassword(
            .init(
                token: token, password: "Owners9Password", device: GatewayFixture.device("owner")),
            house.context())
        try await siege(house)
        let squatter = try await refusal {
            try await house.signIn(password: "Guess8Horses", device: "squatter")
        }
        #expect(squatter.code == .tooManyRequests)
        house.time.advance(by: .seconds(1))
        _ = try await house.signIn(password: "Owners9Password", device: "owner")
    }

    @Test("B5: a reset for a verified address forgets no device of its owner")
    func proved() async throws {
        let house = try await GatewayFixture()
        let ada = try await house.signUp(device: "laptop")
        _ = try await house.verify(
            try await house.inner.linkToken(), accessToken: ada.session.accessToken)
        house.time.advance(by: .seconds(1))
        try await wish(house, "ada@example.org", from: "192.0.2.7")
        let token = try await house.inner.linkToken(page: "reset-password")
        _ = try await house.passwords.resetPassword(
            .init(
                token: token, password: "Owners9Password", device: GatewayFixture.device("phone")),
            house.context())
        try await siege(house)
        house.time.advance(by: .seconds(1))
        _ = try await house.signIn(password: "Owners9Password", device: "laptop")
    }

    @Test("B5: when a provider takes an account over, the squatter's device is forgotten")
    func takenOver() async throws {
        try await ProviderFixture.with { town in
            _ = try await town.house.signUp(device: "squatter")
            town.house.time.advance(by: .seconds(1))
            let owner = try await town.signIn(
                by: try await town.googleToken(of: "117", email: "ada@example.org"),
                device: "owner")
            #expect(!owner.removedMethods.isEmpty)
            try await siege(town.house)
            let squatter = try await refusal {
                try await town.house.signIn(device: "squatter")
            }
            #expect(squatter.code == .tooManyRequests)
        }
    }

    @Test("B14: after 100 wrong passwords in a row, a reset enables password sign-in again")
    func hundred() async throws {
        let house = try await GatewayFixture()
        _ = try await house.signUp(device: "first")
        for _ in 0..<200 {
            _ = try await house.inner.limits.consume(
                .init(
                    charges: [
                        .init(limit: "failed-sign-in-by-account", subject: "ada@example.org")
                    ]), house.context())
            house.time.advance(by: .seconds(180))
        }
        let shut = try await refusal { try await house.signIn(device: "new") }
        #expect(shut.code == .tooManyRequests)
        #expect(shut.sentence == "Too many attempts. Please set a new password by email.")
        try await wish(house, "ada@example.org", from: "192.0.2.7")
        let token = try await house.inner.linkToken(page: "reset-password")
        _ = try await house.passwords.resetPassword(
            .init(token: token, password: "Owners9Password", device: GatewayFixture.device("new")),
            house.context())
        house.time.advance(by: .seconds(900))
        _ = try await house.signIn(password: "Owners9Password", device: "another")
    }
}
