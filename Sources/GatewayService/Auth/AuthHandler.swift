package import Contracts

/// `postern.gateway.v1.Auth`: signing up, in and out. The gateway stores nothing: each rpc asks
/// identity, session and the rate limiter in turn. The rpcs, each in the file of its name:
/// `signUpWithPassword`, `signInWithPassword`, `verifyEmail`, `refresh`, `signOut`,
/// `checkAuthState`.
package struct AuthHandler: AuthService {
    let accounts: any AccountsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
    /// The session service's clock: devices sign proofs for it, and after a step of the machine's
    /// clock and a restart the gateway's own time differs (B15).
    let sessionClock: any ClockAPI

    /// In front of the services.
    package init(
        accounts: any AccountsAPI, sessions: any SessionsAPI, limits: RateLimiter,
        sessionClock: any ClockAPI
    ) {
        self.accounts = accounts
        self.sessions = sessions
        self.limits = limits
        self.sessionClock = sessionClock
    }
}
