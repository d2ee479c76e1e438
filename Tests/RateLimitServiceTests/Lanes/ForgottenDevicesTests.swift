import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: devices become known and are forgotten", .timeLimit(.minutes(1)))
struct ForgottenDevicesTests {
    private static let ada = "ada@example.org"
    let house: LimitsFixture

    init() async throws { house = try await LimitsFixture() }

    private func isKnown(_ device: String, _ house: LimitsFixture, of account: String = ada) -> Bool
    {
        house.service.limits.devices.knows(account, device, at: house.time.now())
    }

    @Test("B5: a device becomes known without a guess, for example by a sign-up")
    func remembered() throws {
        try house.remember(.failedSignInByAccount, Self.ada, device: "first")
        #expect(isKnown("first", house))
        #expect(!isKnown("first", house, of: "bob@example.org"))
    }

    @Test("B5: a takeover makes the owner's device known and forgets the attacker's devices")
    func takeover() async throws {
        for device in ["squatter", "second", "owner"] {
            try house.remember(.failedSignInByAccount, Self.ada, device: device)
        }
        try house.remember(.failedSignInByAccount, "bob@example.org", device: "bobs")
        house.time.advance(by: .seconds(60))
        try house.remember(
            .failedSignInByAccount, Self.ada, device: "owner", forgettingOthers: true)
        for house in [house, try await house.restarted()] {
            #expect(isKnown("owner", house))
            #expect(!isKnown("squatter", house) && !isKnown("second", house))
            #expect(isKnown("bobs", house, of: "bob@example.org"))
        }
    }

    @Test("B5: a forgotten device is known again after the next success, for the full time")
    func again() throws {
        try house.remember(.failedSignInByAccount, Self.ada, device: "phone")
        house.time.advance(by: .seconds(60))
        try house.remember(.failedSignInByAccount, Self.ada, device: "", forgettingOthers: true)
        #expect(!isKnown("phone", house))
        house.time.advance(by: .seconds(60))
        try house.remember(.failedSignInByAccount, Self.ada, device: "phone")
        house.time.advance(by: .seconds(90 * 86_400) - .milliseconds(1))
        #expect(isKnown("phone", house))
        house.time.advance(by: .milliseconds(1))
        #expect(!isKnown("phone", house))
    }
}
