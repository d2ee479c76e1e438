import Contracts

/// `postern.gateway.v1.Providers`: sign-in with Google, Apple or another OpenID provider (G-04,
/// G-05). `signInWithProvider` is in the file of its name; identity implements the other rpc.
struct ProvidersHandler: ProvidersService {
    let identities: any IdentitiesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}
