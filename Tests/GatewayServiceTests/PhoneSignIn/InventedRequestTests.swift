import IdentityService
import Messages
import RPC
import RateLimitService
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-02: guesses at codes that were never sent are limited", .timeLimit(.minutes(1)))
struct InventedRequestTests {
    private func guess(
        _ fixture: GatewayFixture, _ request: String, _ number: String = GatewayFixture.number,
        from address: String = "198.51.100.7"
    ) async throws -> ServiceError {
        try await refusal {
            try await fixture.signInByCode(
                request, "000000", number, device: "new", in: fixture.context(address: address))
        }
    }

    @Test("M4: a guess for an unknown request counts against the address, not the number")
    func invented() async throws {
        let fixture = try await GatewayFixture()
        let sent = try await fixture.sentCode()
        for number in 0..<50 {
            #expect(
                try await guess(fixture, number % 2 == 0 ? "pcr_0000000000001" : "x")
                    == ServiceError(.invalidCode, fields: ["code"]))
        }
        #expect(try fixture.inner.left("phone-code-guess", GatewayFixture.number) == 5)
        #expect(try fixture.inner.left("phone-code-guess-by-address", "198.51.100.7") == 0)
        #expect(try await guess(fixture, "x").code == .tooManyRequests)
        _ = try await fixture.signInByCode(sent.request, sent.code)
    }

    @Test("H1: after 50 invented numbers an address is limited, and no number is charged")
    func table() async throws {
        let fixture = try await GatewayFixture()
        for number in 0..<50 {
            let number = "+49151\(10_000_000 + number)"
            #expect(try await guess(fixture, "x", number).code == .invalidCode)
            #expect(try fixture.inner.left("phone-code-guess", number) == 5)
        }
        #expect(try await guess(fixture, "x", "+4915120000000").code == .tooManyRequests)
        #expect(
            try await guess(fixture, "x", "+4915120000000", from: "198.51.100.8").code
                == .invalidCode)
    }

    @Test("X-02: a wrong code and a code that was never sent give the same error")
    func alike() async throws {
        let fixture = try await GatewayFixture()
        let sent = try await fixture.sentCode()
        let wrong = sent.code == "000000" ? "000001" : "000000"
        let live = try await refusal { try await fixture.signInByCode(sent.request, wrong) }
        let invented = try await refusal { try await fixture.signInByCode("pcr_x", wrong) }
        #expect(live == invented)
        #expect(try fixture.inner.left("phone-code-guess", GatewayFixture.number) == 4)
    }

    @Test("H1: if phone sign-in is off, a guess is rejected and leaves no trace")
    func off() async throws {
        let fixture = try await GatewayFixture(phone: PhoneSettings())
        for _ in 0..<60 {
            #expect(try await guess(fixture, "x").code == .operationNotAllowed)
        }
        #expect(try fixture.inner.left("phone-code-guess-by-address", "198.51.100.7") == 50)
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "audit") == 0)
    }

    @Test("M4: a number locked by attackers accepts a new code entered right at the first try")
    func opened() async throws {
        let fixture = try await GatewayFixture()
        for _ in 0..<200 {
            _ = try await fixture.inner.limits.consume(
                .init(charges: [.init(limit: "phone-code-guess", subject: GatewayFixture.number)]),
                fixture.context())
            fixture.time.advance(by: .seconds(180))
        }
        let sent = try await fixture.sentCode()
        let wrong = sent.code == "000000" ? "000001" : "000000"
        #expect(
            try await refusal { try await fixture.signInByCode(sent.request, wrong) }.code
                == .invalidCode)
        let second = try await refusal { try await fixture.signInByCode(sent.request, sent.code) }
        #expect(second.code == .tooManyRequests, "only the first guess is evaluated")
        fixture.time.advance(by: .seconds(60))
        let fresh = try await fixture.sentCode()
        #expect(try await fixture.signInByCode(fresh.request, fresh.code).isNewUser)
        #expect(try fixture.inner.left("phone-code-guess", GatewayFixture.number) == 5)
    }
}
