import Contracts
import ServiceRuntime
import Storage

extension SessionParts {
    /// Verifies the access token of a call that concerns the whole account. Unlike at sign-out, an
    /// expired one is rejected: one that leaked long ago could otherwise end every session.
    /// - Throws: `auth/invalid-access-token`.
    func currentToken(_ text: String) throws(ServiceError) -> AccessToken {
        guard let token = accessTokens.read(text), time.now() < token.expiresAt else {
            throw ServiceError(.invalidAccessToken)
        }
        return token
    }

    /// The token's session, if its row shows that it is live; nil where it is over.
    func liveSession(_ token: AccessToken, _ store: some SQLSession, at now: Timestamp) throws
        -> Session?
    {
        guard let session = try store.session(token.session).map(activity.applied(to:)),
            session.account == token.account, life.state(of: session, at: now) == .live
        else { return nil }
        return session
    }
}
