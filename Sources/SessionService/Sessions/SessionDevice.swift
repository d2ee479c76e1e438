import Cryptography
import Messages
import ServiceRuntime

/// Where a session is opened. The device's name, which is personal, is not kept.
struct SessionDevice: Hashable, Sendable {
    private static let platformBytesMax = 32

    /// Keyed hash of the device's id.
    let device: [UInt8]?
    /// For instance "ios", "web"; not personal.
    let platform: String?

    /// The device that a request names; what it leaves empty is not known.
    /// - Throws: `rpc/invalid-argument` for a platform of more than 32 bytes.
    init(_ origin: IdentityV1.Origin?, hash: KeyedHash) throws(ServiceError) {
        let (id, platform) = (origin?.deviceId ?? "", origin?.platform ?? "")
        guard platform.utf8.count <= Self.platformBytesMax else {
            throw ServiceError(.invalidArgument, fields: ["platform"])
        }
        device = id.isEmpty ? nil : hash.lookUpKey(Array(id.utf8))
        self.platform = platform.isEmpty ? nil : platform
    }
}
