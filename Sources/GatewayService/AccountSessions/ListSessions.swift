import Contracts
import Messages
import RPC

extension AccountSessionsHandler {
    /// G-22: lists the live sessions of the account to the owner of one of them.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`.
    func listSessions(
        _ request: GatewayV1.ListSessionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListSessionsResponse {
        let list = try await devices.listSessions(
            SessionV1.ListSessionsRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        return GatewayV1.ListSessionsResponse(
            sessions: list.sessions.map(GatewayV1.SessionEntry.init))
    }
}

extension GatewayV1.SessionEntry {
    /// Converts a session as the session service lists it.
    fileprivate init(_ session: SessionV1.DeviceSession) {
        self.init(
            sessionId: session.sessionId, deviceName: session.deviceName,
            platform: session.platform, createdAtMs: session.createdAtMs,
            lastUsedAtMs: session.lastUsedAtMs, current: session.current, amr: session.amr,
            authenticatedAtMs: session.authTimeMs)
    }
}
