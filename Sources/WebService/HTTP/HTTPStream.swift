import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import ServiceRuntime

/// The requests of one HTTP/2 stream (one request) or one HTTP/1.1 connection (one after the
/// other). It passes the parts of a request to its `RunningExchange`, and stops reading while the
/// body is not taken.
final class HTTPStream: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPResponsePart

    let connection: WebConnection
    private var context: ChannelHandlerContext?
    private var exchange: RunningExchange?
    private var isReadHeld = false
    /// Closes the stream if the client takes nothing of the response.
    private var slowReader: Scheduled<Void>?

    init(_ connection: WebConnection) {
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        context = nil
        slowReader?.cancel()
        slowReader = nil
        exchange?.streamClosed()
        exchange = nil
    }

    // MARK: The request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context.eventLoop)
        case .body(let part): exchange?.received(part)
        case .end:
            exchange?.receivedEnd()
            exchange?.start()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        exchange?.start()
        context.fireChannelReadComplete()
    }

    /// The body is read only as fast as it is taken: on HTTP/2 the stream's window stays closed, on
    /// HTTP/1.1 the connection is not read.
    func read(context: ChannelHandlerContext) {
        if exchange?.isHoldingBody == true { isReadHeld = true } else { context.read() }
    }

    /// The body was taken.
    func resumeReading() {
        guard isReadHeld, exchange?.isHoldingBody != true else { return }
        isReadHeld = false
        context?.read()
    }

    private func begin(_ head: HTTPRequest, _ loop: any EventLoop) {
        connection.requestArrived()
        let exchange = RunningExchange(head, self, loop)
        self.exchange = exchange
        do {
            exchange.head = try RequestHeadRule.checked(
                head, hosts: connection.loop.hosts, isTLS: connection.client.isTLS)
        } catch {
            connection.loop.figures.refused(
                error.status == .misdirectedRequest ? .host : .malformed)
            return exchange.refuse(error)
        }
        // A client may reset a stream and open the next one while the first one's task still runs
        // (rapid reset); then the number of its tasks is limited by this alone.
        guard connection.runningCount < connection.shared.limits.streamsMax,
            !connection.loop.isFull(for: connection.requester)
        else {
            connection.loop.figures.refused(.overload)
            return exchange.refuse(HTTPFailure(.serviceUnavailable, "overloaded; try later"))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let failure = error as? HTTPFailure {
            exchange?.failBody(failure)
        } else {
            context.close(promise: nil)  // the stream was reset, or violates HTTP
        }
    }

    // MARK: The response

    /// Whether the client takes what is written.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Writes a part; `flush` sends it.
    func write(_ part: HTTPResponsePart) {
        context?.write(wrapOutboundOut(part), promise: nil)
    }

    /// Sends what was written.
    func flush() { context?.flush() }

    /// Sends the end of a response.
    /// - Parameter isRequestEnded: whether the whole request has arrived. If not, the client need
    ///   not send the rest (RFC 9113, 8.1); `HTTP1Connection` knows itself.
    func writeEnd(_ trailers: HTTPFields?, isRequestEnded: Bool) {
        guard let context else { return }
        guard connection.client.isHTTP2 else {
            return context.writeAndFlush(wrapOutboundOut(.end(trailers)), promise: nil)
        }
        var written: EventLoopPromise<Void>?
        if !isRequestEnded {
            let promise = context.eventLoop.makePromise(of: Void.self)
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            promise.futureResult.whenSuccess { bound.value.resetRequest() }
            written = promise
        }
        context.writeAndFlush(wrapOutboundOut(.end(trailers)), promise: written)
        // The stream is still open if the client gives no window for the response.
        watchSlowReader()
    }

    private func resetRequest() {
        context?.triggerUserOutboundEvent(
            NIOHTTP2FramePayloadToHTTPEvent.reset(code: .noError), promise: nil)
    }

    /// Ends a response that cannot be completed, so that the client notices.
    func abort() {
        guard let context else { return }
        guard connection.client.isHTTP2 else { return context.close(promise: nil) }
        context.triggerUserOutboundEvent(
            NIOHTTP2FramePayloadToHTTPEvent.reset(code: .internalError), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            slowReader?.cancel()
            slowReader = nil
            exchange?.becameWritable()
        } else {
            watchSlowReader()
        }
        context.fireChannelWritabilityChanged()
    }

    private func watchSlowReader() {
        guard slowReader == nil, let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let timeout = TimeAmount(connection.shared.limits.writeTimeout)
        slowReader = context.eventLoop.scheduleTask(in: timeout) {
            bound.value.connection.loop.figures.refused(.slowReader)
            bound.value.context?.close(promise: nil)
        }
    }
}
