import NIOCore
import NIOHTTP1
package import NIOPosix

/// A local HTTP port for operators and their probes: `/metrics` in Prometheus' text format and
/// `/health`, 200 when ready and 503 when not. It needs no secret, so it tells none, and listens
/// on its own address.
package enum MetricsEndpoint {
    /// What the endpoint shows.
    package struct Source: Sendable {
        let metrics: @Sendable () -> String
        let isReady: @Sendable () -> Bool

        /// A source of both pages.
        package init(
            metrics: @escaping @Sendable () -> String, isReady: @escaping @Sendable () -> Bool
        ) {
            self.metrics = metrics
            self.isReady = isReady
        }
    }

    /// Listens until the group ends.
    /// - Returns: the port in force.
    /// - Throws: `ListenError` when the port is taken.
    package static func start(
        host: String, port: Int, _ source: Source, group: MultiThreadedEventLoopGroup
    ) async throws -> Int {
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(MetricsHandler(source))
                }
            }
            .listen(on: try .makeAddressResolvingHost(host, port: port))
        return listener.localAddress?.port ?? 0
    }
}

/// Answers one request and closes.
private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let source: MetricsEndpoint.Source
    private var uri = ""

    init(_ source: MetricsEndpoint.Source) {
        self.source = source
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): uri = head.method == .GET ? head.uri : ""
        case .body: break
        case .end: answer(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)  // not HTTP, or gone
    }

    private func answer(_ context: ChannelHandlerContext) {
        let (status, text) = page()
        let body = ByteBuffer(string: text)
        let headers: HTTPHeaders = [
            "content-type": "text/plain; version=0.0.4; charset=utf-8",
            "content-length": "\(body.readableBytes)", "connection": "close",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.whenComplete { _ in bound.value.close(promise: nil) }
    }

    private func page() -> (HTTPResponseStatus, String) {
        switch uri {
        case "/metrics": (.ok, source.metrics())
        case "/health":
            source.isReady() ? (.ok, "serving\n") : (.serviceUnavailable, "not serving\n")
        default: (.notFound, "try /metrics or /health\n")
        }
    }
}
