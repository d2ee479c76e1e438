import HTTPTypes
import NIOCore

/// The way of one request's response to the client: a stream of HTTP/2, or the connection of
/// HTTP/1.1 for one request after the other. It is used on the connection's event loop only.
protocol HTTPStream: AnyObject {
    /// The connection.
    var connection: WebConnection { get }
    /// Whether the client takes what is written.
    var isWritable: Bool { get }
    /// Whether it keeps a response, or a part of it, that the client has not taken. When it keeps
    /// none any more, it calls `RunningExchange.becameWritable` or `streamClosed`.
    var isHoldingResponse: Bool { get }
    /// Writes the head of a response, or of an informational one before it; `flush` sends it.
    func write(_ head: HTTPResponse)
    /// Writes a part of the body; `flush` sends it.
    func write(_ body: ByteBuffer)
    /// Sends what was written.
    func flush()
    /// Sends the end of a response.
    func writeEnd(_ trailers: HTTPFields?)
    /// Ends a response that cannot be completed, so that the client notices.
    func abort()
    /// Ends a request so that another one has its place.
    func endForAnother()
    /// The part of the body that had arrived was taken.
    func resumeReading()
}
