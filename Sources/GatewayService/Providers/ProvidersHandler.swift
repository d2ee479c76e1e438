package import Contracts

/// `postern.gateway.v1.Providers`: signing in by Google, Apple or an OpenID provider (G-04, G-05).
/// The rpcs, each in the file of its name: `issueNonce`, `signInWithProvider`.
package struct ProvidersHandler: ProvidersService {
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
