import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.session.v1.RefreshKeys`: the keys of refresh tokens, for the operator (G-10),
/// `postern keys`.
struct RefreshKeysHandler: RefreshKeysService {
    let store: Store
    let keys: RefreshTokenKeys

    /// The keys whose tokens are accepted, the newest first.
    func listRefreshKeys(
        _ request: SessionV1.ListRefreshKeysRequest, _ context: CallContext
    ) async throws -> SessionV1.ListRefreshKeysResponse {
        try context.requireOperator()
        return SessionV1.ListRefreshKeysResponse(keys: try await list())
    }

    /// Issues new tokens under a new key, once every instance knows it; existing ones stay valid.
    func rotateRefreshKey(
        _ request: SessionV1.RotateRefreshKeyRequest, _ context: CallContext
    ) async throws -> SessionV1.RotateRefreshKeyResponse {
        try context.requireOperator()
        try await keys.renew(in: store, isRequested: true)
        return SessionV1.RotateRefreshKeyResponse(keys: try await list())
    }

    private func list() async throws -> [SessionV1.RefreshKey] {
        let stored = try await store.read { try $0.tokenKeys() }
        return stored.sorted { $0.order > $1.order }.map { key in
            let end = key.supersededAt.map { $0 + keys.schedule.acceptance }
            return SessionV1.RefreshKey(
                keyId: UInt32(key.id), madeAtMs: key.madeAt.milliseconds,
                supersededAtMs: key.supersededAt?.milliseconds ?? 0,
                acceptedUntilMs: end?.milliseconds ?? 0)
        }
    }
}
