import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: devices become known and are forgotten", .timeLimit(.minutes(1)))
struct ForgottenDevicesTests {
    private static let ada = "ada@example.org"
    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    private func isKnown(_ device: String, _ fixture: LimitsFixture, of account: String = ada)
        -> Bool
    {
        fixture.service.limits.devices.knows(account, device, at: fixture.time.now())
    }

    @Test("B5: a device becomes known without a guess, for example by a sign-up")
    func remembered() throws {
        try fixture.remember(.failedSignInByAccount, Self.ada, device: "first")
        #expect(isKnown("first", fixture))
        #expect(!isKnown("first", fixture, of: "bob@example.org"))
    }

    @Test("B5: a takeover makes the owner's device known and forgets the attacker's devices")
    func takeover() async throws {
        for device in ["squatter", "second", "owner"] {
            try fixture.remember(.failedSignInByAccount, Self.ada, device: device)
        }
        try fixture.remember(.failedSignInByAccount, "bob@example.org", device: "bobs")
        fixture.time.advance(by: .seconds(60))
        try fixture.remember(
            .failedSignInByAccount, Self.ada, device: "owner", forgettingOthers: true)
        for fixture in [fixture, try await fixture.restarted()] {
            #expect(isKnown("owner", fixture))
            #expect(!isKnown("squatter", fixture) && !isKnown("second", fixture))
            #expect(isKnown("bobs", fixture, of: "bob@example.org"))
        }
    }

    @Test("B5: a forgotten device is known again after the next success, for the full time")
    func again() throws {
        try fixture.remember(.failedSignInByAccount, Self.ada, device: "phone")
        fixture.time.advance(by: .seconds(60))
        try fixture.remember(.failedSignInByAccount, Self.ada, device: "", forgettingOthers: true)
        #expect(!isKnown("phone", fixture))
        fixture.time.advance(by: .seconds(60))
        try fixture.remember(.failedSignInByAccount, Self.ada, device: "phone")
        fixture.time.advance(by: .seconds(90 * 86_400) - .milliseconds(1))
        #expect(isKnown("phone", fixture))
        fixture.time.advance(by: .milliseconds(1))
        #expect(!isKnown("phone", fixture))
    }
}
