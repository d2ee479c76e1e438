import Messages
import ServiceRuntime

/// What a sensitive call demands: that its owner has proved to be it lately (G-13). Pure:
///
///     last proof                       the call
///     younger than the limit           goes on
///     as old as the limit, or older    auth/requires-recent-login
///
/// `auth_time` is a token's claim, in whole seconds, from the session service's clock: one that is
/// ahead of ours only makes a proof seem younger by as much.
///
/// Attack: somebody finds a phone unlocked, or steals an access token, and changes the email.
struct RecentProof: Hashable, Sendable {
    /// For calls that name no limit of their own.
    static let standard = RecentProof(within: .seconds(300))

    /// How long ago the proof may be.
    let within: Duration

    /// Whether a proof made at `provedAt` will do at `now`.
    func allows(provedAt: Timestamp, at now: Timestamp) -> Bool { now - provedAt < within }

    /// Lets a call go on whose token session has found good.
    /// - Throws: `auth/requires-recent-login`.
    func require(
        _ validity: SessionV1.ValidateResponse, at now: Timestamp
    ) throws(ServiceError) {
        let provedAt = Timestamp(milliseconds: validity.authTimeMs)
        guard allows(provedAt: provedAt, at: now) else {
            throw ServiceError(.requiresRecentLogin)
        }
    }
}
