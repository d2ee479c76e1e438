import Contracts
import IdentityService
import Messages
import NotificationService
import RPC
import RateLimitService
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-02: a mistyped email is corrected by the password", .timeLimit(.minutes(1)))
struct CorrectEmailTests {
    private static let mistyped = "ada@exmaple.org"

    let fixture: GatewayFixture

    init() async throws {
        fixture = try await GatewayFixture(verification: .required)
        _ = try await fixture.auth.signUpWithPassword(
            .init(
                email: Self.mistyped, password: "Correct7Horse",
                device: GatewayFixture.device("d1")), fixture.context())
    }

    private func correct(
        _ email: String = mistyped, to new: String = "ada@example.org",
        password: String = "Correct7Horse", key: String? = nil, address: String? = "192.0.2.7"
    ) async throws {
        _ = try await fixture.emails.correctEmail(
            .init(
                email: email, password: .init(text: password), newEmail: new,
                device: GatewayFixture.device("d1")), fixture.context(key, address: address))
    }

    private func left(_ limit: String, _ subject: String) throws -> UInt32 {
        try fixture.inner.left(limit, subject)
    }

    @Test("G-02: the link to the new email confirms, and the former one is void")
    func corrects() async throws {
        let former = try await fixture.inner.linkToken(to: Self.mistyped)
        try await correct()
        let token = try await fixture.inner.linkToken()
        let void = try await refusal { try await fixture.verify(former, password: "Correct7Horse") }
        #expect(void.code == .invalidLink)
        #expect(try await fixture.verify(token, password: "Correct7Horse").emailVerified)
        #expect(try await fixture.signIn().account.email == "ada@example.org")
    }

    @Test("R-03: a correction is charged as a sign-up, a further link and a mail to the new email")
    func charges() async throws {
        for _ in 0..<3 { try await correct(key: "k") }
        #expect(try left("sign-up-by-address", "192.0.2.7") == 1, "and the sign-up")
        #expect(try left("sign-up-on-taken-email", "192.0.2.7|ada@example.org") == 2)
        #expect(try left("verification-mail-by-account", Self.mistyped) == 2)
        #expect(try left("mail-by-target", "ada@example.org") == 4)
        #expect(try left("failed-sign-in-by-account", Self.mistyped) == 5)
        #expect(try left("failed-sign-in-by-device", "192.0.2.7|d1") == 5)
    }

    @Test("R-03: a wrong password is charged as a guess, and as nothing else")
    func wrong() async throws {
        let wrong = try await refusal { try await correct(password: "Wrong7Horse") }
        #expect(wrong.code == .invalidCredential)
        #expect(try left("failed-sign-in-by-device", "192.0.2.7|d1") == 4)
        #expect(try left("sign-up-by-address", "192.0.2.7") == 2)
        #expect(try left("sign-up-on-taken-email", "192.0.2.7|ada@example.org") == 3)
        #expect(try left("verification-mail-by-account", Self.mistyped) == 3)
        #expect(try left("mail-by-target", "ada@example.org") == 5)
    }

    @Test("X-02: each taken email counts: no correction asks about a list of them")
    func taken() async throws {
        let names = ["a", "b", "c", "d"]
        for (number, name) in names.enumerated() {
            _ = try await fixture.auth.signUpWithPassword(
                .init(email: "\(name)@example.org", password: "Correct7Horse"),
                fixture.context(address: "198.51.100.\(number)"))
        }
        for name in names.prefix(2) {
            let taken = try await refusal { try await correct(to: "\(name)@example.org") }
            #expect(taken == ServiceError(.emailAlreadyInUse, fields: ["new_email"]))
        }
        // The third sign-up of the address was its own.
        let third = try await refusal { try await correct(to: "c@example.org") }
        #expect(third.code == .tooManyRequests)
        // From another address too the account asks about three.
        let other = try await refusal {
            try await correct(to: "c@example.org", address: "203.0.113.1")
        }
        #expect(other.code == .emailAlreadyInUse)
        let fourth = try await refusal {
            try await correct(to: "d@example.org", address: "203.0.113.2")
        }
        #expect(fourth.code == .tooManyRequests)
    }

    @Test("M7: above the limit on mails to the new email it is replaced all the same")
    func withheld() async throws {
        for _ in 0..<5 {
            _ = try await fixture.inner.limits.consume(
                .init(charges: [.init(limit: "mail-by-target", subject: "ada@example.org")]),
                fixture.context())
        }
        try await correct()
        #expect(try await fixture.inner.mails().isEmpty)
        // Another link is the account's own request.
        #expect(try await fixture.resendByPassword())
        _ = try await fixture.verify(
            try await fixture.inner.linkToken(), password: "Correct7Horse")
    }

    @Test("B5: devices that are known under the new email are forgotten, and this one is known")
    func devices() async throws {
        let fixture = try await GatewayFixture()
        let eve = try await fixture.signUp(device: "squatter")
        _ = try await fixture.requestEmailChange("eve@example.org", eve.session.accessToken)
        _ = try await fixture.confirmEmailChange(
            try await fixture.inner.linkToken(to: "eve@example.org", page: "change-email"),
            access: eve.session.accessToken)
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.signUp(Self.mistyped, device: "d1")
        _ = try await fixture.emails.correctEmail(
            .init(
                email: Self.mistyped, password: "Correct7Horse", newEmail: "ada@example.org",
                device: GatewayFixture.device("d1")), fixture.context())
        for number in 0..<5 {
            _ = try await refusal {
                try await fixture.signIn(
                    password: "Wrong8Horses", device: "stranger",
                    in: fixture.context(address: "198.51.100.\(number)"))
            }
        }
        let squatter = try await refusal { try await fixture.signIn(device: "squatter") }
        #expect(squatter.code == .tooManyRequests)
        _ = try await fixture.signIn(device: "d1")
    }

    @Test("X-02: with strict enumeration it is refused, and nothing is charged")
    func strict() async throws {
        let fixture = try await GatewayFixture(enumeration: .strict)
        let refused = try await refusal {
            try await fixture.emails.correctEmail(
                .init(
                    email: Self.mistyped, password: "Correct7Horse", newEmail: "ada@example.org",
                    device: GatewayFixture.device("d1")), fixture.context())
        }
        #expect(refused.code == .operationNotAllowed)
        #expect(try fixture.inner.left("sign-up-by-address", "192.0.2.7") == 3)
        #expect(try fixture.inner.left("failed-sign-in-by-account", Self.mistyped) == 5)
    }
}
