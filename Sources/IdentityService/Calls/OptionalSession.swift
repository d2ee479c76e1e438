import RPC
import ServiceRuntime

extension AccountCalls {
    /// The owner of the access token of a call that may be made in a session (`SESSION_OPTIONAL`);
    /// nil without a token.
    ///
    ///     the access token     SESSION_OPTIONAL
    ///     none                 no session
    ///     valid                the session's
    ///     expired, live        auth/invalid-access-token: refresh first
    ///     of an ended session  auth/session-ended: drop it, call again
    ///     not issued by us     auth/session-ended
    ///
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway; as the table.
    func optionalOwner(in context: CallContext) async throws -> ValidAccessToken? {
        try context.requireGateway()
        guard let token = try context.accessToken() else { return nil }
        return try await sessions.validated(
            accessToken: token, unknown: .sessionEnded, context.ofCheck(time))
    }
}
