import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.session.v1.SigningKeys`: the keys of access tokens, for the operator (S-01),
/// `postern keys`.
struct SigningKeysHandler: SigningKeysService {
    /// Keys in a list: those of a few years.
    static let listedMax: Int64 = 50

    let store: Store
    let rotation: SigningKeyRotation

    /// Lists the newest keys.
    func listKeys(
        _ request: SessionV1.ListKeysRequest, _ context: CallContext
    ) async throws -> SessionV1.ListKeysResponse {
        try context.requireOperator()
        return SessionV1.ListKeysResponse(keys: try await keys())
    }

    /// Rotates the signing key.
    func rotateKeys(
        _ request: SessionV1.RotateKeysRequest, _ context: CallContext
    ) async throws -> SessionV1.RotateKeysResponse {
        try context.requireOperator()
        try await rotation.rotate(by: context.application)
        return SessionV1.RotateKeysResponse(keys: try await keys())
    }

    /// Revokes a key.
    func revokeKey(
        _ request: SessionV1.RevokeKeyRequest, _ context: CallContext
    ) async throws -> SessionV1.RevokeKeyResponse {
        try context.requireOperator()
        try await rotation.revoke(request.keyId, by: context.application)
        return SessionV1.RevokeKeyResponse(keys: try await keys())
    }

    private func keys() async throws -> [SessionV1.SigningKey] {
        let stored = try await store.read { try $0.latestSigningKeys(Self.listedMax) }
        return try stored.map(SessionV1.SigningKey.init)
    }
}

extension SessionV1.SigningKey {
    fileprivate init(_ key: StoredSigningKey) throws {
        let state: SessionV1.SigningKeyState =
            switch key.phase {
            case .announced: .announced
            case .active: .active
            case .passive: .passive
            case .retired: .retired
            }
        self.init(
            keyId: try key.verifyingKey.identifier, state: state,
            madeAtMs: key.madeAt.milliseconds, activeAtMs: key.activeAt?.milliseconds ?? 0,
            passiveAtMs: key.passiveAt?.milliseconds ?? 0,
            retiredAtMs: key.retiredAt?.milliseconds ?? 0, revoked: key.isRevoked)
    }
}
