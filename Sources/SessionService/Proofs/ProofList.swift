import Contracts
import Messages
import ServiceRuntime
import Storage

/// Returns how and when the owner of a session proved their identity, to the holder of a valid
/// access token. Calls that require a recent proof decide by it (G-13).
struct ProofList: Sendable {
    let parts: SessionParts

    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`.
    func run(_ request: SessionV1.ListProofsRequest) async throws -> SessionV1.ListProofsResponse {
        let token = try parts.currentToken(request.accessToken)
        let now = parts.time.now()
        let session = try await parts.store.read { session in
            try parts.liveSession(token, session, at: now)
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
