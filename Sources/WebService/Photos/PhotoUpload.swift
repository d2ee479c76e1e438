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
        guard exchange.head.method == .put else { throw HTTPFailure(allowing: "PUT") }
        let response = response(to: exchange)
        do {
            let method = ProfileDescription.uploadPhoto
            let schema = try schema(of: method)
            let caller = try callers.caller(
                of: exchange.head, exchange.connection, method: schema)
            try caller.check(body: [])
            let length = try Self.length(exchange.head.headerFields)
            let call = profile.uploadPhoto(context(method, exchange.head.headerFields, caller))
            let item = try await relay(exchange, length: length, to: call)
            try response.send(item)
        } catch is CancellationError {
            // The client is gone.
        } catch {
            response.fail(CallFailure(error, logger: logger))
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
    ) async throws -> [UInt8] {
        let photo = try await withThrowingTaskGroup(of: GatewayV1.Photo?.self) { sides in
            defer { sides.cancelAll() }
            sides.addTask {
                try await Self.send(exchange, length: length, on: call.outgoing)
                return nil
            }
            sides.addTask { try await Self.photo(in: call.incoming) }
            // The gateway may refuse the photo before it has received all of it.
            while let side = try await sides.next() {
                if let photo = side { return photo }
            }
            throw ServiceError(.internalError, detail: "an upload ended without its photo")
        }
        return Array(try PhotoJSON.text(of: photo).utf8)
    }

    private static func send(
        _ exchange: HTTPExchange, length: UInt32,
        on outgoing: OutgoingItems<GatewayV1.UploadPhotoRequest>
    ) async throws {
        do {
            try await outgoing.write(GatewayV1.UploadPhotoRequest(part: .bytes(length)))
            while var part = try await exchange.nextBodyPart() {
                while let bytes = part.readBytes(
                    length: min(part.readableBytes, itemBytesMax)), !bytes.isEmpty
                {
                    try await outgoing.write(GatewayV1.UploadPhotoRequest(part: .data(bytes)))
                }
            }
        } catch is ServiceError {
            return  // the call is over; `photo` has its result
        }
        outgoing.finish()
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

/// A photo in proto3's JSON mapping, as `Profile/GetProfile` has it.
enum PhotoJSON {
    private static let schema = Result {
        try Schema(fileDescriptorSet: ProfileDescription.service.fileDescriptorSet)
    }

    /// - Throws: `SchemaError`, `MappingError`, for descriptors that are not this program's.
    static func text(of photo: GatewayV1.Photo) throws -> String {
        guard let message = try schema.get().message(named: GatewayV1.Photo.fullName) else {
            throw ServiceError(.internalError, detail: "no schema of a photo")
        }
        return try message.decodeToJSON(photo.encoded())
    }
}
