import Cryptography
import Messages
import ServiceRuntime

/// A device's key pair as an app creates it, written from the description of signatures in
/// `Protos/`.
struct AppDevice: Sendable {
    private let signer: SigningKey

    init() throws {
        signer = try SigningKey.generate()
    }

    /// The key that a sign-in on the device `id` registers.
    func key(deviceID id: String) throws -> GatewayV1.DeviceKey {
        let publicKey = [4] + signer.verifyingKey.x + signer.verifyingKey.y
        return GatewayV1.DeviceKey(
            kind: .p256, publicKey: publicKey,
            possession: try sign([Array("postern device key v1".utf8), publicKey, Array(id.utf8)]))
    }

    /// The proof that is sent with a refresh token.
    func proof(_ token: String) throws -> GatewayV1.DeviceProof {
        let now = SystemTime().now().milliseconds
        let moment = (0..<8).map { UInt8(truncatingIfNeeded: now >> (56 - $0 * 8)) }
        return GatewayV1.DeviceProof(
            signedAtMs: now,
            signature: try sign([Array("postern refresh v1".utf8), Array(token.utf8), moment]))
    }

    private func sign(_ parts: [[UInt8]]) throws -> [UInt8] {
        var message: [UInt8] = []
        for part in parts {
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { message += $0 }
            message += part
        }
        return try signer.sign(message)
    }
}
