import Cryptography
import Messages
import ServiceRuntime
import Storage

/// The public key that a session is bound to (S-04): who signs with its private half is the device
/// that signed in, and nobody else refreshes.
///
/// The store keeps the bare key. Its length tells its kind: 65 bytes are an uncompressed point of
/// P-256 (SEC 1, 2.3.3), 32 are an Ed25519 key (RFC 8032).
struct DeviceKey: Hashable, Sendable {
    private static let pointBytes = 65
    private static let edwardsBytes = 32
    /// Sets these signatures apart from all others that a device makes.
    private static let label = "postern device key v1"

    let bytes: [UInt8]

    /// The key that a sign-in brings. Its device has to show that it can sign: one that cannot
    /// would be signed out with its first access token, ten minutes after it seemed to work. The
    /// signature need not be fresh, since another's key that somebody registers shuts out only him.
    /// - Throws: `auth/invalid-device-key`.
    init(_ message: SessionV1.DeviceKey, deviceID: String) throws(ServiceError) {
        let length: Int
        switch message.kind {
        case .p256: length = Self.pointBytes
        case .ed25519: length = Self.edwardsBytes
        case .unspecified, .unrecognized:
            throw ServiceError(.invalidDeviceKey, fields: ["device_key.kind"])
        }
        guard message.publicKey.count == length else {
            throw ServiceError(.invalidDeviceKey, fields: ["device_key.public_key"])
        }
        bytes = message.publicKey
        guard verifies(message.possession, of: Self.signed(bytes, deviceID: deviceID)) else {
            throw ServiceError(.invalidDeviceKey, fields: ["device_key.possession"])
        }
    }

    /// The key that a row holds.
    init(stored bytes: [UInt8]) throws(SQLError) {
        guard bytes.count == Self.pointBytes || bytes.count == Self.edwardsBytes else {
            throw SQLError(.unexpectedValue, detail: "session.device_key")
        }
        self.bytes = bytes
    }

    /// What a device signs to show that it has the private half.
    static func signed(_ publicKey: [UInt8], deviceID: String) -> [UInt8] {
        DelimitedParts.joined([Array(label.utf8), publicKey, Array(deviceID.utf8)])
    }

    /// Whether `signature` is the device's over `message`; false where the key is no key: a point
    /// off the curve, or one of small order, which anybody could sign for.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        do {
            if bytes.count == Self.edwardsBytes {
                return try Ed25519VerifyingKey(bytes: bytes).verifies(signature, of: message)
            }
            guard bytes.count == Self.pointBytes, bytes.first == 4 else { return false }
            return try VerifyingKey(x: Array(bytes[1..<33]), y: Array(bytes[33...]))
                .verifies(signature, of: message)
        } catch {
            // No key, no signature of it.
            return false
        }
    }
}
