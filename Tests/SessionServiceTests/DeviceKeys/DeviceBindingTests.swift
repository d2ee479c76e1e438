import Messages
import ServiceRuntime
import Storage
import Testing

@testable import SessionService

@Suite("S-04: sessions without a key can be used from another device")
struct DeviceBindingTests {
    @Test("S-04: each row of the verdict table is right")
    func rows() {
        let (home, other): ([UInt8], [UInt8]) = ([1], [2])
        for binding in DeviceBinding.allCases {
            #expect(binding.verdict(on: home, home: home) == .answered)
            #expect(binding.verdict(on: other, home: nil) == .answered, "no device to compare with")
            #expect(binding.verdict(on: nil, home: nil) == .answered)
        }
        #expect(DeviceBinding.signal.verdict(on: other, home: home) == .recorded)
        #expect(DeviceBinding.signal.verdict(on: nil, home: home) == .answered)
        #expect(DeviceBinding.fingerprint.verdict(on: other, home: home) == .refused)
        #expect(DeviceBinding.fingerprint.verdict(on: nil, home: home) == .refused)
        #expect(DeviceBinding.key.verdict(on: other, home: home) == .recorded)
    }

    @Test("S-04: with `signal`, another device is recorded and gets its response")
    func signal() async throws {
        let fixture = try await SessionFixture()
        let tokens = try await fixture.open()
        let child = try await fixture.refresh(tokens.refreshToken, proof: nil, device: "d2")
        #expect(try await fixture.audited(.refreshElsewhere) == 1)
        _ = try await fixture.refresh(child.refreshToken, proof: nil, device: "d1")
        #expect(try await fixture.audited(.refreshElsewhere) == 1)
    }

    @Test("S-04: with `fingerprint`, a sign-in without a device id is rejected")
    func nameless() async throws {
        let fixture = try await SessionFixture(flags: ["--device-binding", "fingerprint"])
        let account = try fixture.account()
        for device in [nil, GatewayV1.Device(platform: "cli")] {
            await expectRefused(.invalidArgument) {
                try await fixture.service.sessions.createSession(
                    SessionV1.CreateSessionRequest(proof: fixture.proof(account), device: device),
                    fixture.context())
            }
        }
        #expect(try await fixture.number("SELECT count(*) FROM session") == 0)
        let device = try TestDevice.ed25519()
        let bound = try await fixture.service.sessions.createSession(
            SessionV1.CreateSessionRequest(
                proof: fixture.proof(account),
                device: GatewayV1.Device(deviceId: device.id, key: device.key())),
            fixture.context())
        #expect(bound.session != nil)
    }

    @Test("S-04: with `fingerprint`, another device is recorded and rejected but ends nothing")
    func fingerprint() async throws {
        let fixture = try await SessionFixture(flags: ["--device-binding", "fingerprint"])
        let tokens = try await fixture.open()
        for device in ["d2", ""] {
            await expectRefused(.deviceMismatch) {
                try await fixture.refresh(tokens.refreshToken, proof: nil, device: device)
            }
        }
        #expect(try await fixture.audited(.refreshRefused) == 1, "both are in one window")
        let child = try await fixture.refresh(tokens.refreshToken, proof: nil, device: "d1")
        await expectRefused(.deviceMismatch) {
            try await fixture.refresh(tokens.refreshToken, proof: nil, device: "d2")
        }
        let leaf = try await fixture.refresh(child.refreshToken, proof: nil, device: "d1")
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(tokens.refreshToken, proof: nil, device: "d2")
        }
        #expect(!fixture.validate(leaf.accessToken).valid, "a replay from anywhere ends the family")
    }
}
