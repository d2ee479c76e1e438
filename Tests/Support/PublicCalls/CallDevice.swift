import Cryptography
package import Messages
package import ServiceRuntime

/// A device with a key, as an app creates it (S-04).
package struct CallDevice: Sendable {
    private let signer: SigningKey
    private let time: any Time
    /// The device, with its key.
    package let message: GatewayV1.Device

    /// A device with a new key.
    /// - Parameters:
    ///   - name: its id begins with it.
    ///   - time: its clock.
    package init(_ name: String, time: any Time) throws {
        self.time = time
        signer = try SigningKey.generate()
        let id = Bound.text(128, name)
        let publicKey = [4] + signer.verifyingKey.x + signer.verifyingKey.y
        let possession = try signer.sign(
            DelimitedParts.joined([Array("postern device key v1".utf8), publicKey, Array(id.utf8)]))
        message = GatewayV1.Device(
            deviceId: id, platform: Bound.text(32, "cli"), name: Bound.text(256, name),
            key: .init(kind: .p256, publicKey: publicKey, possession: possession))
    }

    /// The proof that is sent with a refresh token.
    package func proof(_ refreshToken: String) throws -> GatewayV1.DeviceProof {
        let (now, moment) = self.now()
        return GatewayV1.DeviceProof(
            signedAtMs: now,
            signature: try signer.sign(
                DelimitedParts.joined([
                    Array("postern refresh v1".utf8), Array(refreshToken.utf8), moment,
                ])))
    }

    /// The proof that its owner has passed its prompt.
    package func presence(_ accessToken: String) throws -> GatewayV1.PresenceProof {
        let (now, moment) = self.now()
        return GatewayV1.PresenceProof(
            signedAtMs: now, hardwareKey: true,
            signature: try signer.sign(
                DelimitedParts.joined([
                    Array("postern presence v1".utf8), Array(accessToken.utf8), moment, [1],
                ])))
    }

    private func now() -> (Int64, [UInt8]) {
        let now = time.now().milliseconds
        return (now, (0..<8).map { UInt8(truncatingIfNeeded: now >> (56 - $0 * 8)) })
    }
}
