import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// Far more than an account can have; only a store from before the limit could hold more.
private let listedMax = 200

extension DevicesHandler {
    /// Lists an account's live sessions for the owner of one of them (G-22).
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`; `rpc/unavailable` while the
    ///   clock is not trusted.
    package func listSessions(
        _ request: SessionV1.ListSessionsRequest, _ context: CallContext
    ) async throws -> SessionV1.ListSessionsResponse {
        try store.clock.requireAnswering()
        let token = try accessTokens.current(request.accessToken, at: time.now())
        let now = time.now()
        let rows = try await store.read { session in
            try liveSession(token, session, at: now) == nil
                ? nil : session.openSessionsWithDevices(of: token.account)
        }
        guard let rows else { throw ServiceError(.sessionEnded) }
        let entries = try rows.map { (memory.activity.applied(to: $0.session), $0.device) }
            .filter { life.state(of: $0.0, at: now) == .live }
            .sorted { ($0.0.usedAt, $0.0.id.key) > ($1.0.usedAt, $1.0.id.key) }
            .prefix(listedMax)
            .map { try entry($0, $1, askedBy: token.session) }
        return SessionV1.ListSessionsResponse(sessions: entries)
    }

    private func entry(
        _ session: Session, _ device: StoredDevice, askedBy current: SessionID
    ) throws -> SessionV1.DeviceSession {
        SessionV1.DeviceSession(
            sessionId: session.id.text,
            deviceName: try device.name(of: session.id, box: keys.deviceNames),
            platform: device.platform ?? "", createdAtMs: session.createdAt.milliseconds,
            lastUsedAtMs: session.usedAt.milliseconds, current: session.id == current,
            amr: session.proofs.latest.methods,
            authTimeMs: session.proofs.latest.at.milliseconds)
    }
}
