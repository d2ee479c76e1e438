import Contracts
import Messages
import RPC

extension AccountSessionsHandler {
    /// G-30: notes that the session is in use. The session service judges the access token and the
    /// kind.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`; `rpc/invalid-argument` for a
    ///   `kind` of another form.
    func noteActivity(
        _ request: GatewayV1.NoteActivityRequest, _ context: CallContext
    ) async throws -> GatewayV1.NoteActivityResponse {
        let answer = try await activity.noteActivity(
            SessionV1.NoteActivityRequest(
                accessToken: try context.requiredAccessToken(), kind: request.kind),
            context.onward())
        return GatewayV1.NoteActivityResponse(idleExpiresAtMs: answer.idleExpiresAtMs)
    }
}
