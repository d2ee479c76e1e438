import Contracts

/// `postern.gateway.v1.Providers`: sign-in with Google, Apple or another OpenID provider (G-04,
/// G-05). Identity serves all but `signInWithProvider`.
struct ProvidersHandler: ProvidersService {
    let identities: any IdentitiesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}
