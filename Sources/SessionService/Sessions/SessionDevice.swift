import Cryptography
import Messages
import ServiceRuntime
import Storage

/// The device that a session is opened on.
struct SessionDevice: Hashable, Sendable {
    private static let platformBytesMax = 32
    /// Stored length of a device's name: enough to recognise it, and a row stays small.
    private static let nameBytesMax = 64

    /// A session's device as stored in its row.
    struct Stored: Hashable, Sendable {
        let platform: String?
        let sealedName: [UInt8]?

        /// The device's name; empty where none was given.
        func name(of session: SessionID, box: SealedBox) throws -> String {
            guard let sealedName else { return "" }
            return String(
                decoding: try box.open(sealedName, at: .deviceName(session)), as: UTF8.self)
        }
    }

    /// Keyed hash of the device's id.
    let device: [UInt8]?
    /// For example "ios" or "web"; not personal.
    let platform: String?
    /// Personal ("Ada's phone"), so it is stored sealed and shown to its owner only (G-22).
    let name: String?

    /// The device in a request; empty fields are unknown.
    /// - Throws: `rpc/invalid-argument` for a platform of more than 32 bytes.
    init(_ origin: IdentityV1.Origin?, hash: KeyedHash) throws(ServiceError) {
        let (id, platform) = (origin?.deviceId ?? "", origin?.platform ?? "")
        guard platform.utf8.count <= Self.platformBytesMax else {
            throw ServiceError(.invalidArgument, fields: ["platform"])
        }
        device = id.isEmpty ? nil : hash.lookUpKey(Array(id.utf8))
        self.platform = platform.isEmpty ? nil : platform
        let name = Self.shortened(origin?.deviceName ?? "")
        self.name = name.isEmpty ? nil : name
    }

    /// The sealed name for the row of `session`.
    func sealedName(of session: SessionID, box: SealedBox) throws -> [UInt8]? {
        try name.map { try box.seal(Array($0.utf8), at: .deviceName(session)) }
    }

    /// As many whole characters as fit.
    private static func shortened(_ name: String) -> String {
        var shortened = ""
        for character in name {
            guard shortened.utf8.count + character.utf8.count <= nameBytesMax else { break }
            shortened.append(character)
        }
        return shortened
    }
}

extension SealedPlace {
    /// The sealing context of a session's device name.
    fileprivate static func deviceName(_ session: SessionID) -> SealedPlace {
        SealedPlace(table: "session", column: "device_name", row: session.key)
    }
}
