import COpenAPI
import HTTPTypes
import NIOCore

/// Answers `GET /openapi.json`: the description of the public methods, generated from the .proto
/// files. Anyone may read it, from any origin.
struct OpenAPIResponder: Sendable {
    private let document: ByteBuffer
    private let entityTag: EntityTag

    /// The text of `COpenAPI/Generated/openapi.json`, which is a constant of the program.
    static var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: postern_openapi_bytes(), count: postern_openapi_count())
    }

    init() {
        document = ByteBuffer(bytes: Self.text)
        entityTag = EntityTag(of: document.readableBytesView)
    }

    /// Answers a request. The response may be reused for five minutes, then its tag is compared.
    /// - Throws: `HTTPFailure` 405.
    func respond(to exchange: HTTPExchange) throws(HTTPFailure) {
        try exchange.requireReading()
        exchange.respond(
            document, "application/json", tag: entityTag,
            [.cacheControl: "public, max-age=300", .accessControlAllowOrigin: "*"])
    }
}
