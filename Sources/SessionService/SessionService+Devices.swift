import Contracts
package import Messages
package import RPC
import ServiceRuntime

/// What the owner of a session can see and do with the account's sessions (G-22, G-13).
extension SessionService: DevicesService {
    /// Lists the account's live sessions (`DeviceList`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise as `DeviceList.run`.
    package func list(
        _ request: SessionV1.ListRequest, _ context: CallContext
    ) async throws -> SessionV1.ListResponse {
        try parts.clock.requireAnswering()
        return try await DeviceList(parts: parts).run(request)
    }

    /// Ends one session of the account (`DeviceEnding`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise as `DeviceEnding.run`.
    package func end(
        _ request: SessionV1.EndRequest, _ context: CallContext
    ) async throws -> SessionV1.EndResponse {
        try parts.clock.requireAnswering()
        return try await DeviceEnding(parts: parts).run(request)
    }

    /// Ends all sessions of the account except the caller's (`DeviceEnding`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise as `DeviceEnding.run`.
    package func endOthers(
        _ request: SessionV1.EndOthersRequest, _ context: CallContext
    ) async throws -> SessionV1.EndOthersResponse {
        try parts.clock.requireAnswering()
        return try await DeviceEnding(parts: parts).run(request)
    }

    /// Records a recent proof of the session's owner (`Reauthentication`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise as
    ///   `Reauthentication.run`.
    package func reauthenticate(
        _ request: SessionV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> SessionV1.ReauthenticateResponse {
        try parts.clock.requireAnswering()
        return try await Reauthentication(parts: parts).run(request, context)
    }

    /// Lists the proofs of the session's owner (`ProofList`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise as `ProofList.run`.
    package func listProofs(
        _ request: SessionV1.ListProofsRequest, _ context: CallContext
    ) async throws -> SessionV1.ListProofsResponse {
        try parts.clock.requireAnswering()
        return try await ProofList(parts: parts).run(request)
    }
}
