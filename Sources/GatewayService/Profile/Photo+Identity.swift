import Messages

extension GatewayV1.Photo {
    /// A photo of the identity service, with its URL.
    init(_ photo: IdentityV1.Photo, _ photos: PhotoURLs) {
        self.init(
            name: photo.name, url: photos.url(of: photo.name), contentType: photo.contentType,
            width: photo.width, height: photo.height, bytes: photo.bytes,
            uploadedAtMs: photo.uploadedAtMs)
    }
}
