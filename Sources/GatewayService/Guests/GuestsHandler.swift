package import Contracts

/// `postern.gateway.v1.Guests`: accounts without a sign-in method (G-07). Its one rpc is in the
/// file of its name: `signInAsGuest`.
package struct GuestsHandler: GuestsService {
    let identities: any IdentitiesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// Creates the handler over clients of the services.
    package init(identities: any IdentitiesAPI, sessions: any SessionsAPI, limits: RateLimiter) {
        self.identities = identities
        self.sessions = sessions
        self.limits = limits
    }
}
