package import Contracts

/// `postern.gateway.v1.Guests`: anonymous accounts (G-07). The rpcs, each in the file of its name:
/// `signInAnonymously`.
package struct GuestsHandler: GuestsService {
    let identities: any IdentitiesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// In front of the services.
    package init(identities: any IdentitiesAPI, sessions: any SessionsAPI, limits: RateLimiter) {
        self.identities = identities
        self.sessions = sessions
        self.limits = limits
    }
}
