import Contracts
import Messages
import RPC
import ServiceRuntime

extension ProfileHandler {
    /// G-17: identify the caller's account → charge the limit → relay the bytes, and identity's
    /// progress back.
    /// - Throws: `auth/invalid-photo`, `auth/too-many-requests`, `auth/invalid-access-token`,
    ///   `auth/session-ended`, `auth/user-disabled`; `rpc/invalid-argument` for items in another
    ///   order than length, then data.
    func uploadPhoto(
        _ incoming: IncomingItems<GatewayV1.UploadPhotoRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadPhotoItem>, _ context: CallContext
    ) async throws {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        guard case .bytes(let bytes) = try await incoming.makeAsyncIterator().next()?.part else {
            throw ServiceError(.invalidArgument, fields: ["bytes"])
        }
        let head = IdentityV1.PhotoHead(
            accessToken: session.accessToken, bytes: bytes, origin: origin)
        _ = try await limits.charging(.photoUpload(account: session.accountID), context) {
            try await photoStreams.uploadPhoto(context.onward()).relay(
                IdentityV1.UploadPhotoRequest(part: .head(head)), then: incoming
            ) { item in
                guard case .data(let data) = item.part else {
                    throw ServiceError(.invalidArgument, fields: ["data"])
                }
                return IdentityV1.UploadPhotoRequest(part: .data(data))
            } answer: { [photos] item in
                try await outgoing.write(
                    GatewayV1.UploadPhotoItem(
                        receivedBytes: item.receivedBytes,
                        photo: item.photo.map { GatewayV1.Photo($0, photos) }))
            }
        }
    }
}
