import Contracts
package import Messages
package import RPC
import ServiceRuntime

/// What the owner of a session may see and do of the account's sessions (G-22, G-13).
extension SessionService: DevicesService {
    /// `DeviceList`.
    package func list(
        _ request: SessionV1.ListRequest, _ context: CallContext
    ) async throws -> SessionV1.ListResponse {
        try parts.clock.requireAnswering()
        return try await DeviceList(parts: parts).run(request)
    }

    /// `DeviceEnding`.
    package func end(
        _ request: SessionV1.EndRequest, _ context: CallContext
    ) async throws -> SessionV1.EndResponse {
        try parts.clock.requireAnswering()
        return try await DeviceEnding(parts: parts).run(request)
    }

    /// `DeviceEnding`.
    package func endOthers(
        _ request: SessionV1.EndOthersRequest, _ context: CallContext
    ) async throws -> SessionV1.EndOthersResponse {
        try parts.clock.requireAnswering()
        return try await DeviceEnding(parts: parts).run(request)
    }

    /// `Reauthentication`.
    package func reauthenticate(
        _ request: SessionV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> SessionV1.ReauthenticateResponse {
        try parts.clock.requireAnswering()
        return try await Reauthentication(parts: parts).run(request, context)
    }

    /// `ProofList`.
    package func listProofs(
        _ request: SessionV1.ListProofsRequest, _ context: CallContext
    ) async throws -> SessionV1.ListProofsResponse {
        try parts.clock.requireAnswering()
        return try await ProofList(parts: parts).run(request)
    }
}
