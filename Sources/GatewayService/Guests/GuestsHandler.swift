import Contracts

/// `postern.gateway.v1.Guests`: accounts without a sign-in method (G-07), and the documents that an app
/// kept while it had none (G-16). Identity serves the rest: what happens to a guest's documents at a
/// sign-in to an account.
struct GuestsHandler: GuestsService {
    let identities: any IdentitiesAPI
    /// On the channel of streams, which take no slot of other calls there (`GatewayPeers`).
    let guestData: any GuestDataAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
    let photos: PhotoURLs
}
