import Contracts
import HTTPTypes
import Messages
import NIOCore
import RPC
import ServiceRuntime

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

extension PhotoResponder {
    /// Longer than any photo's name.
    private static let nameBytesMax = 64
    /// How long a browser may show it without asking again: that it was removed takes effect then.
    private static let maxAge = "max-age=86400"
    /// What a photo can be. Attack: a page of an attacker's, uploaded as a photo, that a browser
    /// shows as a page of this origin.
    private static let mediaTypes: Set<String> = ["image/jpeg", "image/png", "image/webp"]

    /// Answers `GET` and `HEAD /v1/photos/{name}`. Who may see a photo is decided behind the
    /// gateway.
    /// - Throws: `HTTPFailure` 405; after the head of the response, what ends the stream.
    func download(_ exchange: HTTPExchange, _ path: Substring) async throws {
        let request = exchange.head
        try exchange.requireReading()
        let begun = await calls.result(for: exchange) {
            let name = String(path.dropFirst(Self.path.count))
            let context = try calls.context(
                ProfileDescription.downloadPhoto, exchange, orAnyone: true)
            guard Self.isName(name) else { throw ServiceError(.notFound) }
            let parts = profile.downloadPhoto(
                GatewayV1.DownloadPhotoRequest(name: name), context
            ).makeAsyncIterator()
            guard case .photo(let photo)? = try await parts.next()?.part else {
                throw ServiceError(.internalError, detail: "a photo began without its description")
            }
            exchange.limitResponseTime(until: context.deadline)
            let fields = calls.callers.responseFields(of: request)
            return (try self.head(photo, request.headerFields, adding: fields), parts)
        }
        guard let (head, parts) = begun else { return }
        exchange.begin(head)
        if head.status == .ok, request.method == .get {
            while let item = try await parts.next() {
                guard case .data(let bytes)? = item.part else { continue }
                try await exchange.write(ByteBuffer(bytes: bytes))
            }
        }
        exchange.end()
    }

    /// Names are letters, digits, `-` and `_`: others are not asked for, and none ends the tag.
    private static func isName(_ text: String) -> Bool {
        text.isName(1...nameBytesMax, [.letter, .digit], marks: "-_")
    }

    /// The head of a response with the photo, or of one to a client that has it.
    private func head(
        _ photo: GatewayV1.Photo, _ request: HTTPFields, adding callersFields: HTTPFields
    ) throws(ServiceError) -> HTTPResponse {
        guard Self.isName(photo.name), Self.mediaTypes.contains(photo.contentType) else {
            throw ServiceError(.internalError, detail: "a photo of an unknown kind")
        }
        // Each photo has a new name.
        let tag = EntityTag(ofUnique: photo.name)
        var fields = callersFields
        fields.append(contentsOf: Self.fields)
        fields[.eTag] = tag.text
        // A browser may be used by several people, one after the other.
        fields[.vary] = "Origin, Authorization"
        // In a session it may be a photo that only its owner sees.
        fields[.cacheControl] =
            (request[.authorization] == nil ? "public, " : "private, ") + Self.maxAge
        guard !tag.isIn(request[.ifNoneMatch]) else {
            return HTTPResponse(status: .notModified, headerFields: fields)
        }
        fields[.contentType] = photo.contentType
        fields[.contentLength] = "\(photo.bytes)"
        return HTTPResponse(status: .ok, headerFields: fields)
    }

    /// Fields of every photo: a browser shows it as an image and as nothing else, on any page.
    private static let fields: HTTPFields = [
        .contentDisposition: "inline", .contentSecurityPolicy: "default-src 'none'",
        .crossOriginResourcePolicy: "cross-origin",
    ]
}

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
        } result: {
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
