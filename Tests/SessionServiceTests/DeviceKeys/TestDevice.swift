import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

/// A device with its own key, like an app's.
struct TestDevice: Sendable {
    private enum Signer: Sendable {
        case p256(SigningKey)
        case ed25519(Ed25519SigningKey)
    }

    let id: String
    private let signer: Signer

    private init(id: String, signer: Signer) {
        self.id = id
        self.signer = signer
    }

    static func p256(_ id: String = "d1") throws -> TestDevice {
        TestDevice(id: id, signer: .p256(try SigningKey.generate()))
    }

    static func ed25519(_ id: String = "d1", seed: UInt8 = 7) throws -> TestDevice {
        let seed = SecretBytes(copying: [UInt8](repeating: seed, count: 32))
        return TestDevice(id: id, signer: .ed25519(try Ed25519SigningKey(seed: seed)))
    }

    /// One device with each kind of key.
    static func each() throws -> [TestDevice] { [try .p256(), try .ed25519()] }

    var publicKey: [UInt8] {
        switch signer {
        case .p256(let key): [4] + key.verifyingKey.x + key.verifyingKey.y
        case .ed25519(let key): key.verifyingKey.bytes
        }
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch signer {
        case .p256(let key): try key.sign(message)
        case .ed25519(let key): try key.sign(message)
        }
    }

    /// The key that a sign-in registers.
    func key() throws -> GatewayV1.DeviceKey {
        let kind: GatewayV1.DeviceKeyKind =
            switch signer {
            case .p256: .p256
            case .ed25519: .ed25519
            }
        return GatewayV1.DeviceKey(
            kind: kind, publicKey: publicKey,
            possession: try sign(DeviceKey.signed(publicKey, deviceID: id)))
    }

    /// The proof for a refresh.
    func proof(_ token: String, at moment: Timestamp) throws -> GatewayV1.DeviceProof {
        GatewayV1.DeviceProof(
            signedAtMs: moment.milliseconds,
            signature: try sign(DeviceProofRule.signed(token, at: moment)))
    }
}

extension SessionFixture {
    /// Opens a session that is bound to a device.
    func open(on device: TestDevice, key: String? = nil) async throws -> GatewayV1.Session {
        let response = try await service.sessions.createSession(
            SessionV1.CreateSessionRequest(
                proof: proof(try account()),
                device: GatewayV1.Device(
                    deviceId: device.id, platform: "ios", key: try device.key())),
            context(key))
        return try #require(response.session)
    }

    /// Refreshes like a device with the right time.
    func refresh(
        _ token: String, on device: TestDevice, key: String? = nil
    ) async throws -> GatewayV1.Session {
        try await refresh(token, proof: try device.proof(token, at: time.now()), key: key)
    }

    /// Refreshes with any proof, or none.
    func refresh(
        _ token: String, proof: GatewayV1.DeviceProof?, device: String = "d1", key: String? = nil
    ) async throws -> GatewayV1.Session {
        let response = try await service.sessions.refreshSession(
            GatewayV1.RefreshSessionRequest(
                refreshToken: token, device: GatewayV1.Device(deviceId: device),
                deviceProof: proof),
            context(key))
        return try #require(response.session)
    }
}
