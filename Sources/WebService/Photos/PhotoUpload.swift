import Contracts
import HTTPTypes
import Messages
import NIOCore
import RPC
import ServiceRuntime

extension PhotoResponder {
    /// Bytes of an item, as the gateway takes them.
    private static let itemBytesMax = 64 * 1024

    /// Answers `PUT /v1/photo`: with the photo in JSON. Length and content are judged behind the
    /// gateway: a photo that is too long is refused by its first item.
    /// - Throws: `HTTPFailure` 405.
    func upload(_ exchange: HTTPExchange) async throws(HTTPFailure) {
        try await calls.answer(put: exchange) {
            let context = try calls.context(ProfileDescription.uploadPhoto, exchange)
            let length = try Self.length(exchange.head.headerFields)
            return try await relay(exchange, length: length, to: profile.uploadPhoto(context))
        }
    }

    /// The length of the photo, which the stream's first item has.
    private static func length(_ fields: HTTPFields) throws(CallFailure) -> UInt32 {
        guard let length = fields[.contentLength].flatMap({ UInt64($0) }) else {
            throw CallFailure(
                .invalidArgument, "The request needs content-length.",
                violations: [HTTPField.Name.contentLength.canonicalName], status: .lengthRequired)
        }
        return UInt32(clamping: length)
    }

    /// Passes the body on, as fast as the gateway takes it.
    /// - Returns: the photo in JSON.
    private func relay(
        _ exchange: HTTPExchange, length: UInt32,
        to call: BidirectionalCall<GatewayV1.UploadPhotoRequest, GatewayV1.UploadPhotoItem>
    ) async throws -> String {
        let photo = try await call.upload {
            try await Self.send(exchange, length: length, on: $0)
        } _: {
            try await Self.photo(in: $0)
        }
        return try Self.json.text(of: photo)
    }

    private static let json = MessageJSON<GatewayV1.Photo>(of: ProfileDescription.service)

    private static func send(
        _ exchange: HTTPExchange, length: UInt32,
        on outgoing: OutgoingItems<GatewayV1.UploadPhotoRequest>
    ) async throws {
        try await outgoing.write(GatewayV1.UploadPhotoRequest(part: .bytes(length)))
        while var part = try await exchange.nextBodyPart() {
            while let bytes = part.readBytes(
                length: min(part.readableBytes, itemBytesMax)), !bytes.isEmpty
            {
                try await outgoing.write(GatewayV1.UploadPhotoRequest(part: .data(bytes)))
            }
        }
    }

    private static func photo(
        in items: IncomingItems<GatewayV1.UploadPhotoItem>
    ) async throws -> GatewayV1.Photo {
        var photo: GatewayV1.Photo?
        for try await item in items { photo = item.photo ?? photo }
        guard let photo else {
            throw ServiceError(.internalError, detail: "an upload was answered without a photo")
        }
        return photo
    }
}
