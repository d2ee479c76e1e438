import Contracts

/// `postern.gateway.v1.Guests`: accounts without a sign-in method (G-07). Identity serves all but
/// `signInAsGuest`: what happens to their documents.
struct GuestsHandler: GuestsService {
    let identities: any IdentitiesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}
