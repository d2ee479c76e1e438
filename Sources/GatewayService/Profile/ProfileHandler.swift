import Contracts
import Messages

/// `postern.gateway.v1.Profile`: photos of accounts (G-17). Identity serves what is no stream of it.
struct ProfileHandler: ProfileService {
    /// On the channel of streams, which take no slot of other calls there (`GatewayPeers`).
    let photoStreams: any AccountProfilesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
    let photos: PhotoURLs
}
