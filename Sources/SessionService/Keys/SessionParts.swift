import ServiceRuntime
import Storage

/// What every flow of session is given.
struct SessionParts: Sendable {
    let store: Store
    let keys: SessionKeys
    let life: SessionLife
    /// Signs and reads access tokens.
    let accessTokens: AccessTokens
    /// What validation knows of ends.
    let ended: EndedSessions
    let time: any Time
    let randomness: any Randomness
}
