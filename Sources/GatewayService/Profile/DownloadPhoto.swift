import Contracts
import Messages
import RPC

extension ProfileHandler {
    /// G-17: relays a photo's bytes as the caller takes them. Identity decides who may see it.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `rpc/not-found`.
    func downloadPhoto(
        _ request: GatewayV1.DownloadPhotoRequest,
        _ items: OutgoingItems<GatewayV1.DownloadPhotoItem>, _ context: CallContext
    ) async throws {
        let session = try await sessions.optionalSession(context)
        let download = photoStreams.downloadPhoto(
            IdentityV1.DownloadPhotoRequest(
                name: request.name, accessToken: session?.accessToken ?? ""),
            context.onward())
        for try await item in download {
            let part: GatewayV1.DownloadPhotoItem.Part? =
                switch item.part {
                case .photo(let photo): .photo(GatewayV1.Photo(photo, photos))
                case .data(let data): .data(data)
                case nil: nil
                }
            try await items.write(GatewayV1.DownloadPhotoItem(part: part))
        }
    }
}
