import GatewayService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-07, R-03: guests are counted", .timeLimit(.minutes(1)))
struct GuestLimitTests {
    private let identities = ScriptedIdentities()
    private let house: GatewayHouse

    init() async throws { house = try await GatewayHouse(identities: identities) }

    private func signIn(
        accessToken: String = "", in context: CallContext? = nil
    ) async throws {
        _ = try await house.guests.signInAnonymously(
            .init(device: GatewayHouse.device("d1"), accessToken: accessToken),
            context ?? house.context())
    }

    private func left() throws -> UInt32 {
        try house.inner.left("guest-sign-up-by-address", "192.0.2.7")
    }

    @Test("R-03: the thirty-first guest of an hour from one address waits")
    func limited() async throws {
        // Made, perhaps, and not waited for: the charge stands.
        identities.refuse(.deadlineExceeded)
        for _ in 0..<30 {
            #expect(try await refusal { try await signIn() }.code == .deadlineExceeded)
        }
        let limited = try await refusal { try await signIn() }
        #expect(limited.code == .tooManyRequests && limited.retryAfter == .seconds(3_600))
        #expect(identities.keys.count == 30)
        let elsewhere = house.context(address: "192.0.2.8")
        #expect(try await refusal { try await signIn(in: elsewhere) }.code == .deadlineExceeded)
    }

    @Test("G-25: a repeat is not counted again; what was refused before it began costs nothing")
    func once() async throws {
        identities.refuse(.deadlineExceeded)
        for _ in 0..<5 {
            _ = try await refusal { try await signIn(in: house.context("k")) }
        }
        #expect(try left() == 29)
        identities.refuse(.resourceExhausted)
        _ = try await refusal { try await signIn() }
        #expect(try left() == 29)
    }

    @Test("B2: what failed on our side is not charged, however often it is repeated")
    func ourFailure() async throws {
        for code in [ErrorCode.unavailable, .internalError] {
            identities.refuse(code)
            for key in ["k", "k", "k", nil] {
                #expect(try await refusal { try await signIn(in: house.context(key)) }.code == code)
                #expect(try left() == 30)
            }
        }
    }

    @Test("G-07: who is signed in makes no guest, and whose token has expired refreshes first")
    func signedIn() async throws {
        let ada = try await house.signUp()
        let token = ada.session.accessToken
        #expect(try await refusal { try await signIn(accessToken: token) }.code == .alreadySignedIn)
        house.time.advance(by: .seconds(15 * 60))
        #expect(
            try await refusal { try await signIn(accessToken: token) }.code == .invalidAccessToken)
        #expect(try left() == 30 && identities.keys.isEmpty)
    }
}
