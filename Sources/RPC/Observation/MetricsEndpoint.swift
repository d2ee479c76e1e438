import NIOCore
import NIOHTTP1
package import NIOPosix
import ServiceRuntime
import Synchronization

/// A local HTTP port for operators and their probes:
///
///     /metrics   the figures, in Prometheus' text format
///     /readyz    200 when calls may be sent, 503 when not (a balancer's question)
///     /health    the same, its older name
///     /livez     200 while all event loops and writers turn, 503 when one hangs (a
///                supervisor's question: a restart helps, and nothing else does)
///
/// It needs no secret, so it tells none, and listens
/// on its own address; and since anybody on the machine can connect, nobody can hold it: a
/// connection has five seconds and 8 KiB for its one request, and there are 32 at once.
package enum MetricsEndpoint {
    /// From the connection to the end of its answer.
    package static let patience = Duration.seconds(5)
    /// Of a request with all its headers; a probe's has 200.
    package static let requestBytesMax = 8 * 1_024
    /// Connections at once; a scraper and a few probes have one each.
    package static let connectionsMax = 32

    /// An event loop that has not answered within this time hangs.
    static let loopPatience = TimeAmount.seconds(2)

    /// What the endpoint shows.
    package struct Source: Sendable {
        let metrics: @Sendable () -> String
        let readiness: @Sendable () -> (isReady: Bool, text: String)
        let isTurning: @Sendable () -> Bool

        /// A source of all pages.
        /// - Parameters:
        ///   - readiness: whether calls may be sent, and the page that says so.
        ///   - isTurning: whether all turns that must, beside the event loops.
        package init(
            metrics: @escaping @Sendable () -> String,
            readiness: @escaping @Sendable () -> (isReady: Bool, text: String),
            isTurning: @escaping @Sendable () -> Bool
        ) {
            self.metrics = metrics
            self.readiness = readiness
            self.isTurning = isTurning
        }
    }

    /// Listens until the group ends.
    /// - Returns: the port in force.
    /// - Throws: `ListenError` when the port is taken.
    package static func start(
        host: String, port: Int, _ source: Source, group: MultiThreadedEventLoopGroup,
        patience: Duration = patience
    ) async throws -> Int {
        let guests = MetricsConnectionCount()
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        MetricsConnectionGuard(guests, patience: TimeAmount(patience)))
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(MetricsHandler(source, loops: group))
                }
            }
            .listen(on: try .makeAddressResolvingHost(host, port: port))
        return listener.localAddress?.port ?? 0
    }
}

/// How many connections the endpoint has.
private final class MetricsConnectionCount: Sendable {
    private let count = Atomic<Int>(0)

    /// - Returns: false, with nothing counted, when there are as many as there may be.
    func enter() -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= MetricsEndpoint.connectionsMax {
            return true
        }
        leave()
        return false
    }

    func leave() { count.subtract(1, ordering: .relaxed) }
}

/// Stands before HTTP and closes on whoever is one too many, says too much or takes too long.
private final class MetricsConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let guests: MetricsConnectionCount
    private let patience: TimeAmount
    private var isCounted = false
    private var bytes = 0
    private var closing: Scheduled<Void>?

    init(_ guests: MetricsConnectionCount, patience: TimeAmount) {
        self.guests = guests
        self.patience = patience
    }

    func channelActive(context: ChannelHandlerContext) {
        isCounted = guests.enter()
        guard isCounted else { return context.close(promise: nil) }
        let channel = context.channel
        closing = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytes
        guard bytes <= MetricsEndpoint.requestBytesMax else { return context.close(promise: nil) }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        if isCounted { guests.leave() }
        context.fireChannelInactive()
    }
}

/// Answers one request and closes.
private final class MetricsHandler: ChannelInboundHandler {
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
        context.close(promise: nil)  // not HTTP, or gone
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard !isAnswered else { return }  // it was told that the connection closes
        isAnswered = true
        guard uri == "/livez" else { return write(page(), context) }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        allLoopsTurn(on: context.eventLoop).whenSuccess { isTurning in
            let (handler, context) = bound.value
            guard context.channel.isActive else { return }
            handler.write(
                isTurning && handler.source.isTurning()
                    ? (.ok, "alive\n") : (.serviceUnavailable, "hangs\n"), context)
        }
    }

    /// Whether every event loop runs a task within `loopPatience`.
    private func allLoopsTurn(on loop: any EventLoop) -> EventLoopFuture<Bool> {
        let answered = loop.makePromise(of: Bool.self)
        let timer = loop.scheduleTask(in: MetricsEndpoint.loopPatience) { answered.succeed(false) }
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
