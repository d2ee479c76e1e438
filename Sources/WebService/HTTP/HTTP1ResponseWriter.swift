import HTTPTypes
import NIOCore

/// Writes responses of HTTP/1.1 (RFC 9112, 4 to 7). A response without `content-length` is chunked.
/// Names and values are valid already: `HTTPField` holds no others.
struct HTTP1ResponseWriter {
    private var out = ByteBuffer()
    private var isChunked = false
    private var hasBody = true

    /// The bytes that were written since the last call.
    mutating func take() -> ByteBuffer? {
        guard out.readableBytes > 0 else { return nil }
        defer { out = ByteBuffer() }
        return out
    }

    /// Writes a head.
    /// - Parameters:
    ///   - isLast: whether the connection ends after the response.
    ///   - isHeadRequest: whether the request was a HEAD, whose response has no body.
    ///   - isOldVersion: whether the client does not know chunks (HTTP/1.0).
    mutating func begin(
        _ head: HTTPResponse, isLast: Bool, isHeadRequest: Bool, isOldVersion: Bool
    ) {
        let code = head.status.code
        var text: [UInt8] = []
        text.reserveCapacity(512)
        text.append(contentsOf: "HTTP/1.1 \(code) \(head.status.reasonPhrase)\r\n".utf8)
        for field in head.headerFields { Self.append(field, to: &text) }
        out.writeBytes(text)
        guard code >= 200 else { return end() }
        let mayHaveBody = RunningExchange.mayHaveBody(head.status)
        hasBody = mayHaveBody && !isHeadRequest
        isChunked =
            mayHaveBody && !isOldVersion && !head.headerFields.contains(.contentLength)
        if isChunked { out.writeStaticString("transfer-encoding: chunked\r\n") }
        if isLast { out.writeStaticString("connection: close\r\n") }
        end()
    }

    private static func append(_ field: HTTPField, to text: inout [UInt8]) {
        text.append(contentsOf: field.name.canonicalName.utf8)
        text.append(UInt8(ascii: ":"))
        text.append(UInt8(ascii: " "))
        text.append(contentsOf: field.value.utf8)
        text.append(UInt8(ascii: "\r"))
        text.append(UInt8(ascii: "\n"))
    }

    private mutating func end() { out.writeStaticString("\r\n") }

    /// Writes a part of the body.
    mutating func write(_ part: ByteBuffer) {
        guard hasBody, part.readableBytes > 0 else { return }
        guard isChunked else {
            out.writeImmutableBuffer(part)
            return
        }
        out.writeString(String(part.readableBytes, radix: 16))
        out.writeStaticString("\r\n")
        out.writeImmutableBuffer(part)
        out.writeStaticString("\r\n")
    }

    /// Writes the end of the body. Trailers are dropped if the body has a fixed length.
    mutating func end(_ trailers: HTTPFields?) {
        guard hasBody, isChunked else { return }
        out.writeStaticString("0\r\n")
        var text: [UInt8] = []
        for field in trailers ?? [:] { Self.append(field, to: &text) }
        out.writeBytes(text)
        end()
    }
}
