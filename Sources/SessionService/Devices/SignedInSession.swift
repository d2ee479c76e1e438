import Contracts
import ServiceRuntime
import Storage

extension SessionParts {
    /// The token that a signed-in person shows for what concerns the whole account: unlike at
    /// sign-out an expired one will not do, or one that leaked long ago could end every session.
    /// - Throws: `auth/invalid-access-token`.
    func currentToken(_ text: String) throws(ServiceError) -> AccessToken {
        guard let token = accessTokens.read(text), time.now() < token.expiresAt else {
            throw ServiceError(.invalidAccessToken)
        }
        return token
    }

    /// The session of a current token, live now by its row; nil where it is over.
    func liveSession(_ token: AccessToken, _ store: some SQLSession, at now: Timestamp) throws
        -> Session?
    {
        guard let session = try store.session(token.session).map(activity.applied(to:)),
            session.account == token.account, life.state(of: session, at: now) == .live
        else { return nil }
        return session
    }
}
