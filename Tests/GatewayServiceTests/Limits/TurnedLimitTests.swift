import Contracts
import IdentityService
import Messages
import RPC
import RateLimitService
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-03: an attacker cannot use limits against an owner", .timeLimit(.minutes(1)))
struct TurnedLimitTests {
    private func requestReset(
        _ gateway: GatewayFixture, _ email: String, from address: String
    ) async throws {
        _ = try await gateway.passwords.requestPasswordReset(
            .init(email: email), gateway.context(address: address))
    }

    /// Five wrong passwords from other addresses. They lock the account for unknown devices.
    private func siege(_ gateway: GatewayFixture) async throws {
        for number in 0..<5 {
            _ = try await refusal {
                try await gateway.signIn(
                    password: "Wrong8Horses", device: "stranger",
                    in: gateway.context(address: "198.51.100.\(number)"))
            }
        }
        let locked = try await refusal {
            try await gateway.signIn(device: "new", in: gateway.context(address: "203.0.113.9"))
        }
        #expect(locked.code == .tooManyRequests)
    }

    /// The account gives its address up.
    private func moveAway(_ gateway: GatewayFixture, _ person: SignedIn) async throws {
        let access = person.session.accessToken
        _ = try await gateway.requestEmailChange("eve@example.org", access)
        let token = try await gateway.inner.linkToken(to: "eve@example.org", page: "change-email")
        _ = try await gateway.confirmEmailChange(token, access: access)
        gateway.time.advance(by: .seconds(1))
    }

    /// Under a siege, a device without a lane of its own is refused.
    private func expectUnknown(_ gateway: GatewayFixture, _ device: String) async throws {
        try await siege(gateway)
        let refused = try await refusal { try await gateway.signIn(device: device) }
        #expect(refused.code == .tooManyRequests)
    }

    @Test("M3: the 21st reset request from one address is rejected, whatever emails it names")
    func resets() async throws {
        let gateway = try await GatewayFixture()
        for number in 0..<20 {
            try await requestReset(
                gateway, "user\(number)@example.org", from: "2001:db8:1:\(number)::1")
        }
        let error = try await refusal {
            try await requestReset(gateway, "ada@example.org", from: "2001:db8:1:ff::1")
        }
        #expect(error.code == .tooManyRequests)
        try await requestReset(gateway, "ada@example.org", from: "2001:db8:2::1")
    }

    @Test("B5: the device that signed up is known for sign-in and for re-authentication")
    func signedUp() async throws {
        let gateway = try await GatewayFixture()
        let ada = try await gateway.signUp()
        try await siege(gateway)
        _ = try await gateway.signIn()
        _ = try await gateway.accountSessions.reauthenticate(
            .init(
                device: GatewayFixture.device("d1"),
                proof: .password("Correct7Horse")),
            gateway.context().bearing(ada.session.accessToken))
    }

    @Test("B5: the device of the session that verifies the address is known")
    func verified() async throws {
        let gateway = try await GatewayFixture()
        let ada = try await gateway.signUp(device: "first")
        let token = try await gateway.inner.linkToken()
        // `verify` calls from d1.
        _ = try await gateway.verify(token, accessToken: ada.session.accessToken)
        try await siege(gateway)
        _ = try await gateway.signIn(device: "d1")
    }

    @Test("B5: the device of a squatter is forgotten once the owner has reset the password")
    func squatter() async throws {
        let gateway = try await GatewayFixture()
        _ = try await gateway.signUp(device: "squatter")
        gateway.time.advance(by: .seconds(1))
        try await requestReset(gateway, "ada@example.org", from: "192.0.2.7")
        let token = try await gateway.inner.linkToken(page: "reset-password")
        _ = try await gateway.passwords.resetPassword(
            .init(
                token: token, password: "Owners9Password", device: GatewayFixture.device("owner")),
            gateway.context())
        try await siege(gateway)
        let squatter = try await refusal {
            try await gateway.signIn(password: "Guess8Horses", device: "squatter")
        }
        #expect(squatter.code == .tooManyRequests)
        gateway.time.advance(by: .seconds(1))
        _ = try await gateway.signIn(password: "Owners9Password", device: "owner")
    }

    @Test("B5: a reset for a verified address forgets no device of its owner")
    func proved() async throws {
        let gateway = try await GatewayFixture()
        let ada = try await gateway.signUp(device: "laptop")
        _ = try await gateway.verify(
            try await gateway.inner.linkToken(), accessToken: ada.session.accessToken)
        gateway.time.advance(by: .seconds(1))
        try await requestReset(gateway, "ada@example.org", from: "192.0.2.7")
        let token = try await gateway.inner.linkToken(page: "reset-password")
        _ = try await gateway.passwords.resetPassword(
            .init(
                token: token, password: "Owners9Password", device: GatewayFixture.device("phone")),
            gateway.context())
        try await siege(gateway)
        gateway.time.advance(by: .seconds(1))
        _ = try await gateway.signIn(password: "Owners9Password", device: "laptop")
    }

    @Test("B5: when a provider takes an account over, the squatter's device is forgotten")
    func takenOver() async throws {
        try await ProviderFixture.with { fixture in
            _ = try await fixture.gateway.signUp(device: "squatter")
            fixture.gateway.time.advance(by: .seconds(1))
            let owner = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "ada@example.org"),
                device: "owner")
            #expect(!owner.removedMethods.isEmpty)
            try await expectUnknown(fixture.gateway, "squatter")
        }
    }

    @Test("B5: a device of the former holder of an address is unknown to its next owner")
    func freed() async throws {
        let gateway = try await GatewayFixture()
        let eve = try await gateway.signUp(device: "squatter")
        try await moveAway(gateway, eve)
        _ = try await gateway.signUp(device: "owner")
        try await expectUnknown(gateway, "squatter")
        _ = try await gateway.signIn(device: "owner")
    }

    @Test("B5: the same where an address has to be verified before the first session")
    func freedAfterVerification() async throws {
        let gateway = try await GatewayFixture(verification: .required)
        func signUp(_ device: String) async throws {
            _ = try await gateway.auth.signUpWithPassword(
                .init(
                    email: "ada@example.org", password: .init(text: "Correct7Horse"),
                    device: GatewayFixture.device(device)), gateway.context())
            _ = try await gateway.verify(
                try await gateway.inner.linkToken(), password: "Correct7Horse")
        }
        try await signUp("squatter")
        let eve = try await gateway.signIn(device: "squatter")
        try await moveAway(gateway, eve)
        try await signUp("owner")
        try await expectUnknown(gateway, "squatter")
    }

    @Test("B14: after 100 wrong passwords in a row, a reset enables password sign-in again")
    func hundred() async throws {
        let gateway = try await GatewayFixture()
        _ = try await gateway.signUp(device: "first")
        for _ in 0..<200 {
            _ = try await gateway.inner.limits.consume(
                .init(
                    charges: [
                        .init(limit: "failed-sign-in-by-account", subject: "ada@example.org")
                    ]), gateway.context())
            gateway.time.advance(by: .seconds(180))
        }
        let shut = try await refusal { try await gateway.signIn(device: "new") }
        #expect(shut.code == .tooManyRequests)
        #expect(shut.sentence == "Too many attempts. Please set a new password by email.")
        try await requestReset(gateway, "ada@example.org", from: "192.0.2.7")
        let token = try await gateway.inner.linkToken(page: "reset-password")
        _ = try await gateway.passwords.resetPassword(
            .init(token: token, password: "Owners9Password", device: GatewayFixture.device("new")),
            gateway.context())
        gateway.time.advance(by: .seconds(900))
        _ = try await gateway.signIn(password: "Owners9Password", device: "another")
    }
}
