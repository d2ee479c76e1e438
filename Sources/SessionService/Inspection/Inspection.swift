import Contracts
import Messages
import ServiceRuntime
import Storage

/// Returns the state of an access token's session, however old the token, with the reason of its
/// end (G-01). The response to a token that is not ours is empty.
struct Inspection: Sendable {
    let parts: SessionParts

    func run(_ request: SessionV1.InspectRequest) async throws -> SessionV1.InspectResponse {
        guard let token = parts.accessTokens.readRetired(request.accessToken),
            let session = try await parts.store.read({ try $0.session(token.session) })
                .map(parts.activity.applied(to:))
        else { return SessionV1.InspectResponse() }
        let now = parts.time.now()
        let state = parts.life.state(of: session, at: now)
        return SessionV1.InspectResponse(
            known: true, sessionId: session.id.text, accountId: session.account.text,
            live: state == .live, endReason: state.reason?.message ?? .unspecified,
            accessTokenCurrent: now < token.expiresAt)
    }
}
