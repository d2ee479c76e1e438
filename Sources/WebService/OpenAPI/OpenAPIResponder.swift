import HTTPTypes
import NIOCore

/// Answers `GET /openapi.json`: the description of the public methods, generated from the .proto
/// files. Anyone may read it, from any origin.
struct OpenAPIResponder: Sendable {
    private let document: ByteBuffer
    private let entityTag: EntityTag

    init() {
        document = ByteBuffer(staticString: OpenAPIDocument.json)
        entityTag = EntityTag(of: document.readableBytesView)
    }

    /// Answers a request.
    /// - Throws: `HTTPFailure` for another method than GET and HEAD.
    func respond(to exchange: HTTPExchange) throws(HTTPFailure) {
        let (head, body) = try response(to: exchange.head)
        exchange.respond(head, body)
    }

    /// The response to a request. It may be reused for five minutes, then its tag is compared.
    func response(
        to request: HTTPRequest
    ) throws(HTTPFailure) -> (head: HTTPResponse, body: ByteBuffer) {
        guard [.get, .head].contains(request.method) else {
            throw HTTPFailure(.methodNotAllowed, "openapi.json is read by GET")
        }
        var fields: HTTPFields = [
            .eTag: entityTag.text, .cacheControl: "public, max-age=300",
            .accessControlAllowOrigin: "*",
        ]
        guard !entityTag.isIn(request.headerFields[.ifNoneMatch]) else {
            return (HTTPResponse(status: .notModified, headerFields: fields), ByteBuffer())
        }
        fields[.contentType] = "application/json"
        fields[.contentLength] = "\(document.readableBytes)"
        return (
            HTTPResponse(status: .ok, headerFields: fields),
            request.method == .head ? ByteBuffer() : document
        )
    }
}
