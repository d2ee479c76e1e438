import Messages
import ServiceRuntime
import Testing

@testable import SessionService

@Suite("S-04: a device's proof is checked")
struct DeviceProofTests {
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let token = "AgFX-a-refresh-token"

    private func finding(
        _ proof: GatewayV1.DeviceProof?, by device: TestDevice?
    ) throws -> DeviceProofRule.Finding {
        DeviceProofRule.finding(
            proof, on: token, by: try device.map { try DeviceKey(stored: $0.publicKey) }, at: now)
    }

    @Test("S-04: the device's own signature is a proof; without key or proof there is none")
    func rows() throws {
        for device in try TestDevice.each() {
            let proof = try device.proof(token, at: now)
            #expect(try finding(proof, by: device) == .proved(signedAt: now))
            #expect(try finding(nil, by: device) == .absent)
            #expect(try finding(proof, by: nil) == .absent)
        }
    }

    @Test("S-04: a clock may be off by 5 min in either direction, to the millisecond")
    func skew() throws {
        let device = try TestDevice.p256()
        for edge in [now - .seconds(300), now + .seconds(300)] {
            #expect(
                try finding(device.proof(token, at: edge), by: device) == .proved(signedAt: edge))
        }
        for late in [
            now - .milliseconds(300_001), now + .milliseconds(300_001),
            Timestamp(milliseconds: .min), Timestamp(milliseconds: .max),
        ] {
            #expect(try finding(device.proof(token, at: late), by: device) == .stale)
        }
    }

    @Test("S-04: a signature for another token, time, device or purpose is wrong")
    func wrong() throws {
        for device in try TestDevice.each() {
            let genuine = try device.proof(token, at: now)
            var others = [try device.proof(token + "A", at: now), genuine, genuine, genuine]
            others[1].signedAtMs += 1
            others[2].signature[3] ^= 1
            others[3].signature = try device.sign(
                DeviceKey.signed(device.publicKey, deviceID: token))
            for proof in others + [GatewayV1.DeviceProof(signedAtMs: genuine.signedAtMs)] {
                #expect(try finding(proof, by: device) == .wrong)
            }
        }
        let proof = try TestDevice.p256().proof(token, at: now)
        #expect(try finding(proof, by: .p256()) == .wrong)
        #expect(try finding(proof, by: .ed25519()) == .wrong)
    }
}
