import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Lists an account's live sessions for the owner of one of them (G-22).
struct DeviceList: Sendable {
    /// Far more than an account can have; only a store from before the limit could hold more.
    private static let sessionsMax = 200

    let parts: SessionParts

    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`.
    func run(_ request: SessionV1.ListRequest) async throws -> SessionV1.ListResponse {
        let token = try parts.currentToken(request.accessToken)
        let now = parts.time.now()
        let rows = try await parts.store.read { session in
            try parts.liveSession(token, session, at: now) == nil
                ? nil : session.openSessionsWithDevices(of: token.account)
        }
        guard let rows else { throw ServiceError(.sessionEnded) }
        let entries = try rows.map { (parts.activity.applied(to: $0.session), $0.device) }
            .filter { parts.life.state(of: $0.0, at: now) == .live }
            .sorted { ($0.0.usedAt, $0.0.id.key) > ($1.0.usedAt, $1.0.id.key) }
            .prefix(Self.sessionsMax)
            .map { try entry($0, $1, askedBy: token.session) }
        return SessionV1.ListResponse(sessions: entries)
    }

    private func entry(
        _ session: Session, _ device: StoredDevice, askedBy current: SessionID
    ) throws -> SessionV1.DeviceSession {
        SessionV1.DeviceSession(
            sessionId: session.id.text,
            deviceName: try device.name(of: session.id, box: parts.keys.deviceNames),
            platform: device.platform ?? "", createdAtMs: session.createdAt.milliseconds,
            lastUsedAtMs: session.usedAt.milliseconds, current: session.id == current,
            amr: session.proofs.latest.methods,
            authTimeMs: session.proofs.latest.at.milliseconds)
    }
}
