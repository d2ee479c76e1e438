import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import NIOPosix
import NIOSSL
import WebService

/// A client of HTTP/2: by prior knowledge, or over TLS.
struct HTTP2Client: Sendable {
    let channel: any Channel
    let multiplexer: NIOHTTP2Handler.StreamMultiplexer
    /// The frames of the connection itself.
    let frames: Received<HTTP2Frame>

    static func connect(
        _ server: WebServer, tls: RawClient.TLS? = nil
    ) async throws -> HTTP2Client {
        try await connect(server.group, port: server.listener.port, tls: tls)
    }

    static func connect(
        _ group: MultiThreadedEventLoopGroup, port: Int, tls: RawClient.TLS? = nil
    ) async throws -> HTTP2Client {
        let frames = Received<HTTP2Frame>()
        let connected = try await ClientBootstrap(group: group)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(
                            NIOSSLClientHandler(context: tls.context, serverHostname: "localhost"))
                    }
                    let multiplexer = try pipeline.configureHTTP2Pipeline(
                        mode: .client, connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { $0.eventLoop.makeSucceededVoidFuture() }
                    try pipeline.addHandler(ReceivedHandler<HTTP2Frame>(frames))
                    return (channel, multiplexer)
                }
            }
        return HTTP2Client(channel: connected.0, multiplexer: connected.1, frames: frames)
    }

    /// One request.
    struct Stream: Sendable {
        let channel: any Channel
        let received: Received<HTTPResponsePart>

        func send(_ part: HTTPRequestPart) { channel.writeAndFlush(part, promise: nil) }

        /// Status, body and trailers of the whole response.
        func response() async throws -> (status: Int, body: String, trailers: HTTPFields?) {
            let parts = try await received.wait { parts, isClosed in
                isClosed
                    || parts.contains { if case .end = $0 { true } else { false } }
            }
            var response = (status: 0, body: "", trailers: HTTPFields?.none)
            for part in parts {
                switch part {
                case .head(let head): response.status = head.status.code
                case .body(let body): response.body += String(buffer: body)
                case .end(let trailers): response.trailers = trailers
                }
            }
            return response
        }
    }

    func open(isReading: Bool = true) async throws -> Stream {
        let received = Received<HTTPResponsePart>()
        let promise = channel.eventLoop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: promise) { stream in
            stream.eventLoop.makeCompletedFuture {
                if !isReading { try stream.syncOptions?.setOption(.autoRead, value: false) }
                try stream.pipeline.syncOperations.addHandlers([
                    HTTP2FramePayloadToHTTPClientCodec(),
                    ReceivedHandler<HTTPResponsePart>(received),
                ])
            }
        }
        return Stream(channel: try await promise.futureResult.get(), received: received)
    }

    /// A request with its whole body.
    func request(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
        authority: String, _ fields: HTTPFields = [:], isReading: Bool = true
    ) async throws -> Stream {
        let stream = try await open(isReading: isReading)
        stream.send(
            .head(
                HTTPRequest(
                    method: method, scheme: "http", authority: authority, path: path,
                    headerFields: fields)))
        if !body.isEmpty { stream.send(.body(ByteBuffer(string: body))) }
        stream.send(.end(nil))
        return stream
    }

    func close() { channel.close(promise: nil) }
}
