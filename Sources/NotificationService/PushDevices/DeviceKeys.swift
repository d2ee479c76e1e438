import Cryptography
import ServiceRuntime

/// The keys of registered devices. A stolen store reveals neither their tokens nor their owners.
package struct DeviceKeys: Sendable {
    private static let sealingKeyID: UInt8 = 1

    private let tokens: KeyedHash
    private let sessions: KeyedHash
    private let box: SealedBox

    init(master: SecretBytes, randomness: any Randomness) throws {
        tokens = KeyedHash(master: master, purpose: "notification/device-tokens")
        sessions = KeyedHash(master: master, purpose: "notification/device-sessions")
        let sealing = KeyDerivation.key(from: master, purpose: "notification/devices")
        box = try SealedBox(
            keys: [Self.sealingKeyID: sealing], current: Self.sealingKeyID, randomness: randomness)
    }

    /// The keyed hash by which a token is found.
    func token(_ token: String, on platform: PushPlatform) -> [UInt8] {
        tokens.lookUpKey(Array("\(platform.rawValue)/\(token)".utf8))
    }

    /// The keyed hash by which a session's devices are found.
    func session(_ session: SessionID) -> [UInt8] {
        sessions.lookUpKey(Array(session.text.utf8))
    }

    func seal(_ token: String, of device: PushDeviceID) throws -> [UInt8] {
        try box.seal(Array(token.utf8), at: Self.place(of: device))
    }

    func open(_ sealed: [UInt8], of device: PushDeviceID) throws -> String {
        String(decoding: try box.open(sealed, at: Self.place(of: device)), as: UTF8.self)
    }

    /// Whether a device's sealed token opens under these keys.
    func opens(_ sealed: [UInt8], of device: PushDeviceID) -> Bool {
        box.opens(sealed, at: Self.place(of: device))
    }

    private static func place(of device: PushDeviceID) -> SealedPlace {
        SealedPlace(table: "push_device", column: "token", row: device.key)
    }
}
