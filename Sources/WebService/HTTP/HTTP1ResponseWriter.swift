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
        out.writeString("HTTP/1.1 \(code) \(head.status.reasonPhrase)\r\n")
        for field in head.headerFields {
            // The framing and the connection are ours.
            switch field.name {
            case .connection, .transferEncoding, .upgrade: continue
            default: break
            }
            out.writeString(field.name.canonicalName)
            out.writeStaticString(": ")
            out.writeString(field.value)
            out.writeStaticString("\r\n")
        }
        guard code >= 200 else { return end() }
        let mayHaveBody = RunningExchange.mayHaveBody(head.status)
        hasBody = mayHaveBody && !isHeadRequest
        isChunked =
            mayHaveBody && !isOldVersion && !head.headerFields.contains(.contentLength)
        if isChunked { out.writeStaticString("transfer-encoding: chunked\r\n") }
        if isLast { out.writeStaticString("connection: close\r\n") }
        end()
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
        for field in trailers ?? [:] {
            out.writeString("\(field.name.canonicalName): \(field.value)\r\n")
        }
        end()
    }
}
