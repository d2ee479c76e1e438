package import Addresses
package import HTTPTypes
package import NIOCore

/// One HTTP request and its response, in one form for HTTP/1.1 and HTTP/2. It is used by the one
/// task that answers the request. When the client gives up or the connection ends, that task is
/// cancelled.
package final class HTTPExchange: Sendable {
    /// The request's method, scheme, authority, path and fields.
    package let head: HTTPRequest
    /// The connection that the request arrived on.
    package let connection: HTTPConnection

    init(_ head: HTTPRequest, _ connection: HTTPConnection) {
        self.head = head
        self.connection = connection
    }

    /// The whole body of the request.
    /// - Throws: `HTTPFailure` 413 when it is larger than `bytesMax`; `CancellationError`.
    package func body(bytesMax: Int) async throws -> ByteBuffer {
        fatalError("not written yet")
    }

    /// The next part of the body, as it arrives; nil at its end. No more is read from the
    /// connection than is taken.
    /// - Throws: `CancellationError`.
    package func nextBodyPart() async throws -> ByteBuffer? {
        fatalError("not written yet")
    }

    /// Sends the whole response.
    package func respond(
        _ head: HTTPResponse, _ body: ByteBuffer = ByteBuffer(), trailers: HTTPFields? = nil
    ) {
        fatalError("not written yet")
    }

    /// Sends the head of a response whose body follows.
    package func begin(_ head: HTTPResponse) {
        fatalError("not written yet")
    }

    /// Sends a part of the body, and waits while the client does not read.
    /// - Throws: `CancellationError` when the client is gone.
    package func write(_ part: ByteBuffer) async throws {
        fatalError("not written yet")
    }

    /// Ends the response.
    package func end(_ trailers: HTTPFields? = nil) {
        fatalError("not written yet")
    }
}

/// The connection that a request arrived on.
package struct HTTPConnection: Hashable, Sendable {
    /// The address of the peer: of the TCP connection, or the one that a trusted proxy named by
    /// PROXY protocol. Header fields are not considered.
    package let peer: ClientAddress
    /// Whether the peer of the TCP connection is a trusted proxy, so that its header fields that
    /// name the client's address count.
    package let isFromTrustedProxy: Bool
    /// Whether it is protected by TLS.
    package let isTLS: Bool
    /// HTTP/2, and not HTTP/1.1.
    package let isHTTP2: Bool

    /// A connection.
    package init(peer: ClientAddress, isFromTrustedProxy: Bool, isTLS: Bool, isHTTP2: Bool) {
        self.peer = peer
        self.isFromTrustedProxy = isFromTrustedProxy
        self.isTLS = isTLS
        self.isHTTP2 = isHTTP2
    }
}

/// A request that cannot be answered, as HTTP says it.
package struct HTTPFailure: Error, Hashable, Sendable {
    /// The status.
    package let status: HTTPResponse.Status
    /// The reason in English, for a developer.
    package let reason: String

    /// A failure.
    package init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
