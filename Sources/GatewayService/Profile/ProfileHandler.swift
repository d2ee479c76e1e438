import Contracts
import Messages

/// `postern.gateway.v1.Profile`: display name and photo of the caller's account (G-17). Each rpc is
/// in the file of its name: `getProfile`, `updateProfile`, `uploadPhoto`, `downloadPhoto`,
/// `removePhoto`.
struct ProfileHandler: ProfileService {
    let profiles: any AccountProfilesAPI
    /// The same service, on the channel of streams, which take no slot of other calls there
    /// (`GatewayPeers`): for `uploadPhoto` and `downloadPhoto`.
    let photoStreams: any AccountProfilesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
    let photos: PhotoURLs
}

extension GatewayV1.Photo {
    /// A photo of the identity service, with its URL.
    init(_ photo: IdentityV1.Photo, _ photos: PhotoURLs) {
        self.init(
            name: photo.name, url: photos.url(of: photo.name), contentType: photo.contentType,
            width: photo.width, height: photo.height, bytes: photo.bytes,
            uploadedAtMs: photo.uploadedAtMs)
    }
}
