import GatewayService
import IdentityService
import Messages
import RPC
import RateLimitService
import ServiceRuntime
import TestSupport
import Testing

@Suite("R-02: guesses at codes that were never sent are limited", .timeLimit(.minutes(1)))
struct InventedRequestTests {
    private func guess(
        _ house: GatewayFixture, _ request: String, _ number: String = GatewayFixture.number,
        from address: String = "198.51.100.7"
    ) async throws -> ServiceError {
        try await refusal {
            try await house.signInByCode(
                request, "000000", number, device: "new", in: house.context(address: address))
        }
    }

    @Test("M4: a guess for an unknown request counts against the address, not the number")
    func invented() async throws {
        let house = try await GatewayFixture()
        let sent = try await house.sentCode()
        for number in 0..<50 {
            #expect(
                try await guess(house, number % 2 == 0 ? "pcr_0000000000001" : "x")
                    == ServiceError(.invalidCode, fields: ["code"]))
        }
        #expect(try house.inner.left("phone-code-guess", GatewayFixture.number) == 5)
        #expect(try house.inner.left("phone-code-guess-by-address", "198.51.100.7") == 0)
        #expect(try await guess(house, "x").code == .tooManyRequests)
        _ = try await house.signInByCode(sent.request, sent.code)
    }

    @Test("H1: after 50 invented numbers an address is limited, and no number is charged")
    func table() async throws {
        let house = try await GatewayFixture()
        for number in 0..<50 {
            let number = "+49151\(10_000_000 + number)"
            #expect(try await guess(house, "x", number).code == .invalidCode)
            #expect(try house.inner.left("phone-code-guess", number) == 5)
        }
        #expect(try await guess(house, "x", "+4915120000000").code == .tooManyRequests)
        #expect(
            try await guess(house, "x", "+4915120000000", from: "198.51.100.8").code
                == .invalidCode)
    }

    @Test("X-02: a wrong code and a code that was never sent give the same error")
    func alike() async throws {
        let house = try await GatewayFixture()
        let sent = try await house.sentCode()
        let wrong = sent.code == "000000" ? "000001" : "000000"
        let live = try await refusal { try await house.signInByCode(sent.request, wrong) }
        let invented = try await refusal { try await house.signInByCode("pcr_x", wrong) }
        #expect(live == invented)
        #expect(try house.inner.left("phone-code-guess", GatewayFixture.number) == 4)
    }

    @Test("H1: if phone sign-in is off, a guess is rejected and leaves no trace")
    func off() async throws {
        let house = try await GatewayFixture(phone: PhoneSettings())
        for _ in 0..<60 {
            #expect(try await guess(house, "x").code == .operationNotAllowed)
        }
        #expect(try house.inner.left("phone-code-guess-by-address", "198.51.100.7") == 50)
        #expect(try await house.inner.count(house.inner.identityStore, "audit") == 0)
    }

    @Test("M4: a number locked by attackers accepts a new code entered right at the first try")
    func opened() async throws {
        let house = try await GatewayFixture()
        for _ in 0..<200 {
            _ = try await house.inner.limits.consume(
                .init(charges: [.init(limit: "phone-code-guess", subject: GatewayFixture.number)]),
                house.context())
            house.time.advance(by: .seconds(180))
        }
        let sent = try await house.sentCode()
        let wrong = sent.code == "000000" ? "000001" : "000000"
        #expect(
            try await refusal { try await house.signInByCode(sent.request, wrong) }.code
                == .invalidCode)
        let second = try await refusal { try await house.signInByCode(sent.request, sent.code) }
        #expect(second.code == .tooManyRequests, "only the first guess is evaluated")
        house.time.advance(by: .seconds(60))
        let fresh = try await house.sentCode()
        #expect(try await house.signInByCode(fresh.request, fresh.code).isNewUser)
        #expect(try house.inner.left("phone-code-guess", GatewayFixture.number) == 5)
    }
}
