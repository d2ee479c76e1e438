import Contracts
import Messages
import RPC
import ServiceRuntime

extension SessionsAPI {
    /// The session that an app is in while somebody signs up or in. A guest's is upgraded, an account's
    /// refuses: which it is, identity says, to whom the token is handed on.
    ///
    ///     the token                                 what is handed on
    ///     none, or nothing of ours                  nothing
    ///     of a session that is over                 nothing: there is nobody to upgrade
    ///     expired, of a session that lives          auth/invalid-access-token: refresh first
    ///     good                                      the token
    ///
    /// An expired one must not pass as none: the guest's data would stay behind in an account that
    /// nobody can reach, while the person believes to have it all.
    ///
    /// A repeat of a call that upgraded a guest may come when the guest's session is over: it asks
    /// without one, and identity knows the call by its key (G-25).
    ///
    /// - Returns: the access token to hand on; empty for none.
    /// - Throws: `auth/invalid-access-token`.
    func callerToken(_ accessToken: String, _ context: CallContext) async throws -> String {
        guard !accessToken.isEmpty else { return "" }
        let validity = try await validate(
            SessionV1.ValidateRequest(accessToken: accessToken), context.onward())
        if validity.valid { return accessToken }
        let state = try await inspect(
            SessionV1.InspectRequest(accessToken: accessToken), context.onward())
        if state.known && state.live { throw ServiceError(.invalidAccessToken) }
        return ""
    }
}
