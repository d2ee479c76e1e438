import Messages
import ServiceRuntime
import Testing

@testable import SessionService

@Suite("S-04: a device key is registered at sign-in")
struct DeviceKeyTests {
    @Test("S-04: a key of each kind is accepted only with its own device's signature")
    func possession() throws {
        for device in try TestDevice.each() {
            let message = try device.key()
            #expect(try DeviceKey(message, deviceID: "d1").bytes == device.publicKey)
            expectInvalid(message, deviceID: "d2")
            var changed = message
            changed.possession[10] ^= 1
            expectInvalid(changed)
            changed.possession = []
            expectInvalid(changed)
            var cut = message
            cut.publicKey.removeLast()
            expectInvalid(cut)
        }
    }

    @Test("S-04: another device's key, or one of the wrong kind, cannot be registered")
    func others() throws {
        let (mine, victims) = (try TestDevice.p256(), try TestDevice.p256())
        var message = try mine.key()
        message.publicKey = victims.publicKey
        expectInvalid(message)
        for kind in [GatewayV1.DeviceKeyKind.ed25519, .unspecified, .unrecognized(9)] {
            var message = try mine.key()
            message.kind = kind
            expectInvalid(message)
        }
    }

    @Test("S-04: invalid keys are rejected: points off the curve or of small order")
    func noKeys() throws {
        let zeros = [UInt8](repeating: 0, count: 64)
        let device = try TestDevice.p256()
        let origin = [4] + zeros
        var (compressed, beside) = (device.publicKey, device.publicKey)
        compressed[0] = 2
        beside[64] ^= 1
        for key in [origin, compressed, beside] {
            expectInvalid(GatewayV1.DeviceKey(kind: .p256, publicKey: key, possession: zeros))
        }
        // With the neutral element as key, the signature (neutral element, 0) is valid for every
        // message.
        let neutral: [UInt8] = [1] + zeros[..<31]
        let signature: [UInt8] = neutral + zeros[..<32]
        expectInvalid(
            GatewayV1.DeviceKey(kind: .ed25519, publicKey: neutral, possession: signature))
    }

    @Test("S-04: if keys are required, a sign-in without one is rejected")
    func demanded() async throws {
        let fixture = try await SessionFixture(flags: ["--device-binding", "key"])
        await expectRefused(.deviceKeyRequired) { try await fixture.open() }
        let device = try TestDevice.p256()
        let tokens = try await fixture.open(on: device)
        await expectRefused(.deviceProofRequired) {
            try await fixture.refresh(tokens.refreshToken)
        }
        _ = try await fixture.refresh(tokens.refreshToken, on: device)
    }

    @Test("G-25: a repeated sign-in with another key is another request")
    func repeated() async throws {
        let fixture = try await SessionFixture()
        let first = try await fixture.open(on: try .ed25519(), key: "k")
        let again = try await fixture.open(on: try .ed25519(), key: "k")
        #expect(again.refreshToken == first.refreshToken)
        await expectRefused(.idempotencyKeyReused) {
            try await fixture.open(on: try .ed25519(seed: 8), key: "k")
        }
    }

    private func expectInvalid(
        _ message: GatewayV1.DeviceKey, deviceID: String = "d1",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(ServiceError) {
            _ = try DeviceKey(message, deviceID: deviceID)
            Issue.record("the key was accepted", sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == .invalidDeviceKey, sourceLocation: sourceLocation)
        }
    }
}
