import ServiceRuntime
import Storage

/// The dependencies that the session service's calls share.
struct SessionParts: Sendable {
    let store: Store
    let keys: SessionKeys
    let life: SessionLife
    /// Maximum live sessions of an account (S-03).
    let sessionsMax: Int
    /// Last uses of sessions that are not on disk yet (S-05).
    let activity: Activity
    /// Whether the clock is trusted.
    let clock: ClockHold
    /// Issues and verifies access tokens.
    let accessTokens: AccessTokens
    /// Issues and verifies refresh tokens.
    let refreshTokens: RefreshTokenKeys
    let refreshPolicy: RefreshPolicy
    /// Access tokens that were used, for the rotation rule.
    let confirmations: Confirmations
    /// Ended sessions, for validation.
    let ended: RevokedSessions
    /// Counts rejected uses of tokens, so that the audit trail does not grow with each.
    let rejectedTokens: RejectedTokenCounter
    let time: any Time
    let randomness: any Randomness
}
