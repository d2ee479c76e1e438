import Contracts

/// `postern.gateway.v1.Guests`: accounts without a sign-in method (G-07). Its one rpc is in the
/// file of its name: `signInAsGuest`.
struct GuestsHandler: GuestsService {
    let identities: any IdentitiesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
    let photos: PhotoURLs
}
