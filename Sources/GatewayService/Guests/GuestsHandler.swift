import Contracts

/// `postern.gateway.v1.Guests`: accounts without a sign-in method (G-07), and what happens to their
/// documents when they sign in to an account (G-16). Each rpc is in the file of its name:
/// `signInAsGuest`, `compareGuest`, `chooseGuestData`, `uploadGuestBundle`, `getMigration`,
/// `watchMigration`, `retryMigration`.
///
/// Identity keeps the documents, moves them, and judges the access token that it is handed.
struct GuestsHandler: GuestsService {
    let identities: any IdentitiesAPI
    let guestData: any GuestDataAPI
    /// The same service, on the channel of streams, which take no slot of other calls there
    /// (`GatewayPeers`): for `uploadGuestBundle` and `watchMigration`.
    let guestDataStreams: any GuestDataAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
    let photos: PhotoURLs
}
