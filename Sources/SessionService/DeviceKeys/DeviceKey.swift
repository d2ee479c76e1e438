import Cryptography
import Messages
import ServiceRuntime
import Storage

/// The public key that a session is bound to (S-04): only the device that signed in has the private
/// key, and only it can refresh.
///
/// The store keeps the raw key. Its length tells its type: 65 bytes are an uncompressed point of
/// P-256 (SEC 1, 2.3.3), 32 are an Ed25519 key (RFC 8032).
struct DeviceKey: Hashable, Sendable {
    private static let pointBytes = 65
    private static let edwardsBytes = 32
    /// Domain separation: distinguishes these signatures from all others that a device makes.
    private static let label = "postern device key v1"

    let bytes: [UInt8]

    /// The key sent with a sign-in. The device must prove that it can sign: one that cannot would
    /// be signed out when its first access token expires, after ten minutes of seeming to work. The
    /// signature need not be fresh: a client that registers another device's key only locks itself
    /// out.
    /// - Throws: `auth/invalid-device-key`.
    init(_ message: GatewayV1.DeviceKey, deviceID: String) throws(ServiceError) {
        let length: Int
        switch message.kind {
        case .p256: length = Self.pointBytes
        case .ed25519: length = Self.edwardsBytes
        case .unspecified, .unrecognized:
            throw ServiceError(.invalidDeviceKey, fields: ["device.key.kind"])
        }
        guard message.publicKey.count == length else {
            throw ServiceError(.invalidDeviceKey, fields: ["device.key.public_key"])
        }
        bytes = message.publicKey
        guard verifies(message.possession, of: Self.signed(bytes, deviceID: deviceID)) else {
            throw ServiceError(.invalidDeviceKey, fields: ["device.key.possession"])
        }
    }

    /// The key stored in a row.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another length.
    init(stored bytes: [UInt8]) throws(SQLError) {
        guard bytes.count == Self.pointBytes || bytes.count == Self.edwardsBytes else {
            throw SQLError(.unexpectedValue, detail: "session.device_key")
        }
        self.bytes = bytes
    }

    /// The bytes that a device signs to prove possession of the private key.
    static func signed(_ publicKey: [UInt8], deviceID: String) -> [UInt8] {
        DelimitedParts.joined([Array(label.utf8), publicKey, Array(deviceID.utf8)])
    }

    /// Whether `signature` is the device's over `message`. False also for an invalid key: a point
    /// off the curve, or one of small order, for which anyone could forge signatures.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        do {
            if bytes.count == Self.edwardsBytes {
                return try Ed25519VerifyingKey(bytes: bytes).verifies(signature, of: message)
            }
            guard bytes.count == Self.pointBytes, bytes.first == 4 else { return false }
            return try VerifyingKey(x: Array(bytes[1..<33]), y: Array(bytes[33...]))
                .verifies(signature, of: message)
        } catch {
            // An invalid key verifies nothing.
            return false
        }
    }
}

extension Timestamp {
    /// The moment as a device signs it: milliseconds since 1970 in 8 bytes, big-endian.
    var signedBytes: [UInt8] { milliseconds.bigEndianBytes }
}

/// How a session without a device key is bound to its device (S-04). A session that has a key
/// requires its proof under each of these.
package enum DeviceBinding: String, CaseIterable, Sendable {
    /// A refresh with another device id than the session's is recorded and succeeds. The client
    /// states the device id, and a thief can copy it with the token: it proves little and must not
    /// sign a user out.
    case signal
    /// A refresh with another device id, or none, is recorded and refused. A sign-in without a key
    /// needs a device id.
    case fingerprint
    /// Sign-ins without a key are refused. Sessions opened before continue as under `signal`.
    case key

    /// How a refresh is treated.
    enum Verdict: Hashable, Sendable {
        /// It succeeds.
        case answered
        /// It succeeds, and is recorded as coming from another device.
        case recorded
        /// It is refused and recorded.
        case refused
    }

    /// Refuses a sign-in without a key whose session would be bound to nothing.
    /// - Throws: `auth/device-key-required`, `rpc/invalid-argument`.
    func requireTie(toDevice id: String) throws(ServiceError) {
        switch self {
        case .signal: break
        case .fingerprint:
            if id.isEmpty { throw ServiceError(.invalidArgument, fields: ["device_id"]) }
        case .key: throw ServiceError(.deviceKeyRequired)
        }
    }

    /// The verdict on a refresh from `device`, of a session without a key that was opened on
    /// `home`. Both are keyed hashes, nil where no device was named.
    func verdict(on device: [UInt8]?, home: [UInt8]?) -> Verdict {
        guard let home, device != home else { return .answered }
        return switch self {
        case .fingerprint: .refused
        case .signal, .key: device == nil ? .answered : .recorded
        }
    }
}
