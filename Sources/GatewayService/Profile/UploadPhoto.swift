import Contracts
import Messages
import RPC
import ServiceRuntime

extension ProfileHandler {
    /// G-17: identify the caller's account → charge the limit → relay the bytes, and identity's
    /// progress back. The gateway holds one item at a time: identity takes the bytes at its own
    /// pace, and the caller's stream waits for it.
    /// - Throws: `auth/invalid-photo`, `auth/too-many-requests`, `auth/invalid-access-token`,
    ///   `auth/session-ended`, `auth/user-disabled`; `rpc/invalid-argument` for items in another
    ///   order than length, then data.
    func uploadPhoto(
        _ incoming: IncomingItems<GatewayV1.UploadPhotoRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadPhotoItem>, _ context: CallContext
    ) async throws {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.required(context)
        guard case .bytes(let bytes) = try await incoming.makeAsyncIterator().next()?.part else {
            throw ServiceError(.invalidArgument, fields: ["bytes"])
        }
        let head = IdentityV1.PhotoHead(
            accessToken: session.accessToken, bytes: bytes, origin: origin)
        _ = try await limits.charging(.photoUpload(account: session.accountID), context) {
            try await relay(head, incoming, outgoing, context)
        }
    }

    /// Relays both directions until identity has answered. What ends first decides: an item that is
    /// no part of a photo ends identity's call, and identity's end that of the caller's items.
    private func relay(
        _ head: IdentityV1.PhotoHead, _ incoming: IncomingItems<GatewayV1.UploadPhotoRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadPhotoItem>, _ context: CallContext
    ) async throws {
        let upload = photoStreams.uploadPhoto(context.onward())
        try await withThrowingTaskGroup(of: Bool.self) { directions in
            directions.addTask {
                try await Self.send(head, incoming, to: upload.outgoing)
                return false
            }
            directions.addTask {
                for try await item in upload.incoming {
                    try await outgoing.write(
                        GatewayV1.UploadPhotoItem(
                            receivedBytes: item.receivedBytes,
                            photo: item.photo.map { GatewayV1.Photo($0, photos) }))
                }
                return true
            }
            defer { directions.cancelAll() }
            for try await isAnswered in directions where isAnswered { return }
        }
    }

    private static func send(
        _ head: IdentityV1.PhotoHead, _ incoming: IncomingItems<GatewayV1.UploadPhotoRequest>,
        to upload: OutgoingItems<IdentityV1.UploadPhotoRequest>
    ) async throws {
        let items = incoming.makeAsyncIterator()
        var part = IdentityV1.UploadPhotoRequest.Part.head(head)
        // A write fails when identity has ended its call: the other direction gets the error.
        while (try? await upload.write(IdentityV1.UploadPhotoRequest(part: part))) != nil,
            let item = try await items.next()
        {
            guard case .data(let data) = item.part else {
                throw ServiceError(.invalidArgument, fields: ["data"])
            }
            part = .data(data)
        }
        upload.finish()
    }
}
