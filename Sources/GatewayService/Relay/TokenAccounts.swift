import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// The accounts of access tokens, for charges and for `checkAuthState`: session is asked once a minute
/// for each token, and what has changed since then comes with the feed of revocations, which the
/// gateway follows (`VerificationHandler`).
///
///     the token                                          session is asked
///     not seen since the signing keys changed            yes
///     expired, by session's clock                        yes
///     of a session whose end the feed has named          yes
///     any, while the feed is silent for `silenceMax`     yes
///     any, after a call here that ended sessions,        yes
///     until the feed's second item after it
///     asked for longest `askedAgainAfter` ago            yes: session records the use
///     any other                                          no
///
/// The owner of a method that is passed on judges the token in any case: a wrong answer here charges
/// the account of a token that session has called valid, and never lets a call through. The token's
/// signature is not verified here: that costs more than the call to session that it would save.
///
/// Attack: a thief whose token was just signed out makes calls and cancels each after its charge,
/// which then stays. That fills the account's limits, and its owner waits a minute to write. The
/// thief can do so only while the feed is silent, for 1.5 s at most.
final class TokenAccounts: Sendable {
    /// The feed has an item each second (session's setting `ends-heartbeat`). An end elsewhere is
    /// known here after that at the latest.
    private static let silenceMax = Duration.milliseconds(1_500)
    /// The last use of a session is known to about a minute.
    private static let askedAgainAfter = Duration.seconds(60)

    private struct Known: Sendable {
        let account: String
        let session: SessionID
        let expiresAt: Timestamp
        /// On the uptime clock.
        let askedAt: Duration
    }

    private struct Feed {
        var state = RevocationFeedState()
        var keySet: [UInt8] = []
        /// The tokens that were seen under these keys.
        var tokens = VerifiedTokenCache<Known>()
        /// Session's clock when it sent the last complete item.
        var sentAt: Timestamp?
        /// How many complete items must come before the feed surely has the latest end. The first may
        /// have been read before that end.
        var itemsAwaited = 0

        /// The time on session's clock; nil while the feed is silent.
        func sessionTime(at uptime: Duration) -> Timestamp? {
            guard let completeAt = state.completeAt, uptime - completeAt < TokenAccounts.silenceMax
            else { return nil }
            return sentAt.map { $0 + (uptime - completeAt) }
        }
    }

    private let sessions: any SessionsAPI
    private let time: any Time
    private let ends = RecentRevocations()
    private let feed = Mutex(Feed())

    init(sessions: any SessionsAPI, time: any Time) {
        self.sessions = sessions
        self.time = time
    }

    /// The account of an access token; nil for one that is not valid now.
    /// - Throws: the errors of the session service.
    func account(of token: String, _ context: CallContext) async throws -> String? {
        let uptime = time.uptime()
        let (tokens, now) = feed.withLock { feed in
            (feed.tokens, feed.itemsAwaited > 0 ? nil : feed.sessionTime(at: uptime))
        }
        if let now, let known = tokens[token], now < known.expiresAt,
            uptime - known.askedAt < Self.askedAgainAfter, !ends.contains(known.session)
        {
            return known.account
        }
        let validity = try await sessions.validateAccessToken(
            SessionV1.ValidateAccessTokenRequest(accessToken: token), context.onward())
        guard validity.valid else { return nil }
        if let session = SessionID(text: validity.sessionId) {
            // Of the keys before the call: if they have changed since, it is not seen again.
            tokens.insert(
                Known(
                    account: validity.accountId, session: session,
                    expiresAt: Timestamp(milliseconds: validity.expiresAtMs), askedAt: uptime),
                for: token)
        }
        return validity.accountId
    }

    /// The account of a call that requires a session, for charges: a caller without a session must
    /// not use up limits. Identity and session judge the token themselves.
    /// - Throws: as `InspectSessionResponse.refusal`, and the errors of the session service.
    func requiredAccount(_ context: CallContext) async throws -> String {
        let token = try context.requiredAccessToken()
        if let account = try await account(of: token, context) { return account }
        throw try await sessions.inspectSession(
            SessionV1.InspectSessionRequest(accessToken: token), context.onward()
        ).refusal(of: token)
    }

    /// The time on session's clock; nil while the feed is silent.
    func sessionTime() -> Timestamp? {
        let uptime = time.uptime()
        return feed.withLock { $0.sessionTime(at: uptime) }
    }

    /// From now on session is asked about each token, until the feed has what a call here has ended.
    ///
    /// Attack: somebody who has just signed out looks whether the session is over. The answer must
    /// not be older than the sign-out.
    func doubt() { feed.withLock { $0.itemsAwaited = 2 } }

    /// Applies an item of the feed.
    func take(_ update: RevocationUpdate) {
        ends.insert(update.ends.map { ($0.session, $0.at) }, retention: update.retention)
        if let completeAt = update.completeAt { ends.forget(upTo: completeAt - update.retention) }
        feed.withLock { feed in
            feed.state.record(update, at: time.uptime())
            if update.completeAt != nil {
                feed.sentAt = update.sentAt
                feed.itemsAwaited = max(0, feed.itemsAwaited - 1)
            }
            guard feed.keySet != update.keySet else { return }
            feed.keySet = update.keySet
            feed.tokens = VerifiedTokenCache()
        }
    }
}
