import Messages
import RPC

@testable import GatewayService

extension GatewayFixture {
    /// Uploads a photo and reads the progress meanwhile. A write fails when the call has ended; then
    /// the progress has its error.
    /// - Returns: the items of the response.
    func upload(
        _ photo: [UInt8], itemBytes: Int = 64 * 1_024, in context: CallContext
    ) async throws -> [GatewayV1.UploadPhotoItem] {
        let call = profile.uploadPhoto(context)
        async let progress = call.incoming.all()
        do {
            try await call.outgoing.write(.init(part: .bytes(UInt32(photo.count))))
            for start in stride(from: 0, to: photo.count, by: itemBytes) {
                let end = min(start + itemBytes, photo.count)
                try await call.outgoing.write(.init(part: .data(Array(photo[start..<end]))))
            }
            call.outgoing.finish()
        } catch {
            return try await progress
        }
        return try await progress
    }

    /// Downloads a photo: what it is, and its bytes.
    func download(
        _ name: String, in context: CallContext
    ) async throws -> (photo: GatewayV1.Photo?, bytes: [UInt8]) {
        var photo: GatewayV1.Photo?
        var bytes: [UInt8] = []
        for try await item in profile.downloadPhoto(.init(name: name), context) {
            switch item.part {
            case .photo(let head): photo = head
            case .data(let data): bytes += data
            case nil: break
            }
        }
        return (photo, bytes)
    }
}

extension IncomingItems {
    /// All items, in order.
    func all() async throws -> [Item] {
        var items: [Item] = []
        for try await item in self { items.append(item) }
        return items
    }
}
