import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension SessionsHandler {
    /// Returns the state of an access token's session, however old the token, with the reason of
    /// its end (G-01). The response to a token that is not ours is empty.
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise what the store throws.
    package func inspectSession(
        _ request: SessionV1.InspectSessionRequest, _ context: CallContext
    ) async throws -> SessionV1.InspectSessionResponse {
        try store.clock.requireAnswering()
        guard let token = accessTokens.readRetired(request.accessToken),
            let session = try await store.read({ try $0.session(token.session) })
                .map(memory.activity.applied(to:))
        else { return SessionV1.InspectSessionResponse() }
        let now = time.now()
        let state = life.state(of: session, at: now)
        return SessionV1.InspectSessionResponse(
            known: true, sessionId: session.id.text, accountId: session.account.text,
            live: state == .live, endReason: state.reason?.message ?? .unspecified,
            accessTokenCurrent: now < token.expiresAt)
    }
}
