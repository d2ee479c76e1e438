import ServiceRuntime
import Storage

/// What every flow of session is given.
struct SessionParts: Sendable {
    let store: Store
    let keys: SessionKeys
    let life: SessionLife
    /// Signs and reads access tokens.
    let accessTokens: AccessTokens
    /// Makes and checks refresh tokens.
    let refreshTokens: RefreshTokenKeys
    let refreshPolicy: RefreshPolicy
    /// What the rotation rule knows of access tokens that were used.
    let confirmations: Confirmations
    /// What validation knows of ends.
    let ended: EndedSessions
    let time: any Time
    let randomness: any Randomness
}
