import ServiceRuntime
import Storage

/// What every flow of session is given.
struct SessionParts: Sendable {
    let store: Store
    let keys: SessionKeys
    let life: SessionLife
    /// Live sessions of an account (S-03).
    let sessionsMax: Int
    /// Uses of sessions that are not on disk yet (S-05).
    let activity: Activity
    /// Whether the time can be relied on.
    let clock: ClockHold
    /// Signs and reads access tokens.
    let accessTokens: AccessTokens
    /// Makes and checks refresh tokens.
    let refreshTokens: RefreshTokenKeys
    let refreshPolicy: RefreshPolicy
    /// What the rotation rule knows of access tokens that were used.
    let confirmations: Confirmations
    /// What validation knows of ends.
    let ended: RevokedSessions
    /// Counts what is refused, so that the audit trail does not grow with each.
    let rejectedTokens: RejectedTokenCounter
    let time: any Time
    let randomness: any Randomness
}
