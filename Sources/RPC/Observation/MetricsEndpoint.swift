import NIOCore
import NIOHTTP1
package import NIOPosix
import ServiceRuntime
import Synchronization

/// A local HTTP port for operators and their probes:
///
///     /metrics   the metrics, in Prometheus' text format
///     /readyz    200 when calls may be sent, 503 when not (for a load balancer)
///     /health    the same, its older name
///     /livez     200 while all event loops and writers make progress, 503 when one hangs (for a
///                supervisor: only a restart helps)
///
/// It requires no authentication, so its pages contain no secrets, and it listens on its own
/// address. Any program on the machine can connect, so resources are limited: a connection has five
/// seconds and 8 KiB for its one request, and there may be 32 at once.
package enum MetricsEndpoint {
    /// Timeout from the connection to the end of its response.
    package static let timeout = Duration.seconds(5)
    /// Size limit of a request with all its headers, in bytes; a probe's has 200.
    package static let requestBytesMax = 8 * 1_024
    /// Connections at once; a scraper and each probe use one.
    package static let connectionsMax = 32

    /// An event loop that does not run a task within this time counts as hanging.
    static let loopTimeout = TimeAmount.seconds(2)

    /// Whether calls may be sent, with the text of the page.
    package typealias Readiness = @Sendable () -> (isReady: Bool, text: String)

    /// The content of the endpoint's pages.
    package struct Source: Sendable {
        let metrics: @Sendable () -> String
        let readiness: Readiness
        let isMakingProgress: @Sendable () -> Bool

        /// The content of all pages.
        /// - Parameters:
        ///   - readiness: whether calls may be sent, with the text of the page.
        ///   - isMakingProgress: whether the writers and other threads make progress; event loops
        ///     are checked by the endpoint.
        package init(
            metrics: @escaping @Sendable () -> String,
            readiness: @escaping Readiness,
            isMakingProgress: @escaping @Sendable () -> Bool
        ) {
            self.metrics = metrics
            self.readiness = readiness
            self.isMakingProgress = isMakingProgress
        }
    }

    /// Listens until the group is shut down.
    /// - Returns: the port.
    /// - Throws: `RPCServer.ListenError` when the port is in use, and the resolver's error for
    ///   `host`.
    package static func start(
        host: String, port: Int, _ source: Source, group: MultiThreadedEventLoopGroup,
        timeout: Duration = timeout
    ) async throws -> Int {
        let connections = MetricsConnectionCount()
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        MetricsConnectionGuard(connections, timeout: TimeAmount(timeout)))
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(Handler(source, loops: group))
                }
            }
            .listen(on: try .makeAddressResolvingHost(host, port: port))
        return listener.localAddress?.port ?? 0
    }

    /// The number of open connections of the endpoint.
    private final class MetricsConnectionCount: Sendable {
        private let count = Atomic<Int>(0)

        /// - Returns: false, with nothing counted, when the limit is reached.
        func enter() -> Bool {
            if count.add(1, ordering: .relaxed).newValue <= MetricsEndpoint.connectionsMax {
                return true
            }
            leave()
            return false
        }

        func leave() { count.subtract(1, ordering: .relaxed) }
    }

    /// Closes a connection that exceeds the limit of connections, of request bytes or of time. It
    /// comes before the HTTP handlers.
    private final class MetricsConnectionGuard: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let connections: MetricsConnectionCount
        private let timeout: TimeAmount
        private var isCounted = false
        private var bytes = 0
        private var closing: Scheduled<Void>?

        init(_ connections: MetricsConnectionCount, timeout: TimeAmount) {
            self.connections = connections
            self.timeout = timeout
        }

        func channelActive(context: ChannelHandlerContext) {
            isCounted = connections.enter()
            guard isCounted else { return context.close(promise: nil) }
            let channel = context.channel
            closing = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytes
            guard bytes <= MetricsEndpoint.requestBytesMax else {
                return context.close(promise: nil)
            }
            context.fireChannelRead(data)
        }

        func channelInactive(context: ChannelHandlerContext) {
            closing?.cancel()
            if isCounted { connections.leave() }
            context.fireChannelInactive()
        }
    }

    /// Answers one request and closes the connection.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let source: MetricsEndpoint.Source
        private let loops: MultiThreadedEventLoopGroup
        private var uri = ""
        private var isAnswered = false

        init(_ source: MetricsEndpoint.Source, loops: MultiThreadedEventLoopGroup) {
            self.source = source
            self.loops = loops
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): uri = head.method == .GET ? head.uri : ""
            case .body: break
            case .end: answer(context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)  // not HTTP, or the connection was lost
        }

        private func answer(_ context: ChannelHandlerContext) {
            guard !isAnswered else { return }  // the response says that the connection closes
            isAnswered = true
            guard uri == "/livez" else { return write(page(), context) }
            let bound = NIOLoopBound(
                (handler: self, context: context), eventLoop: context.eventLoop)
            allLoopsRespond(on: context.eventLoop).whenSuccess { isMakingProgress in
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                handler.write(
                    isMakingProgress && handler.source.isMakingProgress()
                        ? (.ok, "alive\n") : (.serviceUnavailable, "hangs\n"), context)
            }
        }

        /// Whether every event loop runs a task within `loopTimeout`.
        private func allLoopsRespond(on loop: any EventLoop) -> EventLoopFuture<Bool> {
            let answered = loop.makePromise(of: Bool.self)
            let timer = loop.scheduleTask(in: MetricsEndpoint.loopTimeout) {
                answered.succeed(false)
            }
            EventLoopFuture.andAllSucceed(loops.makeIterator().map { $0.submit {} }, on: loop)
                .whenSuccess {
                    timer.cancel()
                    answered.succeed(true)
                }
            return answered.futureResult
        }

        private func write(
            _ page: (status: HTTPResponseStatus, text: String), _ context: ChannelHandlerContext
        ) {
            let (status, text) = page
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
            case "/readyz", "/health": readiness()
            default: (.notFound, "try /metrics, /readyz or /livez\n")
            }
        }

        private func readiness() -> (HTTPResponseStatus, String) {
            let (isReady, text) = source.readiness()
            return (isReady ? .ok : .serviceUnavailable, text)
        }
    }
}
