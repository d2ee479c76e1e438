import Contracts

/// `postern.gateway.v1.Auth`: sign-up and sign-in. The gateway stores nothing: each rpc calls the
/// identity service, the session service and the rate limiter. Session serves the other methods.
struct AuthHandler: AuthService {
    let accounts: any AccountsAPI
    let credentials: any CredentialsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
    let tokens: TokenAccounts
    /// The session service's clock, for `checkAuthState` while the feed of revocations is silent.
    /// Devices sign their proofs with its time, which differs from the gateway's after the
    /// machine's clock has been stepped and the gateway restarted (B15).
    let sessionClock: any ClockAPI
}
