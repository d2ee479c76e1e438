import NIOCore
import NIOHTTP1
import NIOTLS

/// Decides the version of HTTP, adds its handlers, and removes itself: by the protocol of the TLS
/// handshake (ALPN; a client without it gets HTTP/1.1), and without TLS by the preface of HTTP/2
/// (prior knowledge; RFC 9113, 3.3). There is no `Upgrade`.
final class ProtocolSelector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The first bytes of an HTTP/2 connection (RFC 9113, 3.4).
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let connection: WebConnection
    private var buffer = ByteBuffer()
    private var isDone = false

    init(_ connection: WebConnection) {
        self.connection = connection
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let name) = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        switch name {
        case "h2": select(context, http2: true)
        case "http/1.1", nil: select(context, http2: false)
        default: context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        buffer.append(moving: unwrapInboundIn(data))
        guard !isDone, !connection.client.isTLS else { return }
        let start = buffer.readableBytesView.prefix(Self.preface.count)
        guard Self.preface.starts(with: start) else { return select(context, http2: false) }
        if start.count == Self.preface.count { select(context, http2: true) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if connection.client.isTLS { connection.loop.figures.refused(.tls) }
        context.close(promise: nil)
    }

    private func select(_ context: ChannelHandlerContext, http2: Bool) {
        guard !isDone else { return }
        isDone = true
        do {
            try connection.install(http2: http2, on: context.channel)
        } catch {
            return context.close(promise: nil)  // the channel is closing
        }
        if buffer.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(buffer))
            context.fireChannelReadComplete()
        }
        buffer = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
