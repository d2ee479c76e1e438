import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension DevicesHandler {
    /// Returns how and when the owner of a session proved their identity, to the holder of a valid
    /// access token. Calls that require a recent proof decide by it (G-13).
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`; `rpc/unavailable` while the
    ///   clock is not trusted.
    package func listProofs(
        _ request: SessionV1.ListProofsRequest, _ context: CallContext
    ) async throws -> SessionV1.ListProofsResponse {
        try store.clock.requireAnswering()
        let token = try accessTokens.current(request.accessToken, at: time.now())
        let now = time.now()
        let session = try await store.read { session in
            try liveSession(token, session, at: now)
        }
        guard let session else { throw ServiceError(.sessionEnded) }
        return SessionV1.ListProofsResponse(
            sessionId: session.id.text, accountId: session.account.text,
            proofs: session.proofs.all.map {
                SessionV1.SessionProof(amr: $0.methods, provedAtMs: $0.at.milliseconds)
            },
            hasDeviceKey: session.deviceKey != nil, nowMs: now.milliseconds)
    }
}
