import Contracts

/// Photos by HTTP (G-17), since browsers cannot send streams and an `<img>` makes no calls:
///
///     PUT        /v1/photo          `Profile/UploadPhoto` in the caller's session; the body is
///                                   the photo
///     GET, HEAD  /v1/photos/{name}  `Profile/DownloadPhoto`, with a session or without
///
/// Each request is one stream of the gateway, whose flow control reaches the client: neither here
/// nor there is a whole photo in memory.
struct PhotoResponder: Sendable {
    /// What the paths of photos begin with.
    static let path = "/v1/photos/"

    let profile: any ProfileAPI
    let calls: StreamCalls
}
