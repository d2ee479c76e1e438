import HTTPTypes
import NIOCore
import NIOHTTPTypes
import ServiceRuntime

/// The requests of one HTTP/1.1 connection, one after the other. It passes the parts of a request
/// to its `RunningExchange`, and stops reading while the body is not taken.
final class HTTP1Stream: ChannelDuplexHandler, HTTPStream {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPResponsePart

    let connection: WebConnection
    private var context: ChannelHandlerContext?
    private var exchange: RunningExchange?
    private var isReadHeld = false
    /// Closes the connection if the client takes nothing of the response.
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
        case .head(let head): exchange = .begin(head, on: self, context.eventLoop)
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

    /// The body is read only as fast as it is taken.
    func read(context: ChannelHandlerContext) {
        if exchange?.isHoldingBody == true { isReadHeld = true } else { context.read() }
    }

    func resumeReading() {
        guard isReadHeld, exchange?.isHoldingBody != true else { return }
        isReadHeld = false
        context?.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let failure = error as? HTTPFailure {
            exchange?.failBody(failure)
        } else {
            context.close(promise: nil)
        }
    }

    // MARK: The response

    var isWritable: Bool { context?.channel.isWritable ?? false }

    func write(_ part: HTTPResponsePart) {
        context?.write(wrapOutboundOut(part), promise: nil)
    }

    func flush() { context?.flush() }

    func writeEnd(_ trailers: HTTPFields?) {
        context?.writeAndFlush(wrapOutboundOut(.end(trailers)), promise: nil)
    }

    func abort() { context?.close(promise: nil) }

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
