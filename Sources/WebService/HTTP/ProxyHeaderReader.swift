import NIOCore

/// Reads the header of PROXY protocol at the start of a trusted proxy's connection, and removes
/// itself.
final class ProxyHeaderReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: WebConnection
    private let isRequired: Bool
    private var buffer = ByteBuffer()
    private var isDone = false

    init(_ connection: WebConnection, isRequired: Bool) {
        self.connection = connection
        self.isRequired = isRequired
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return }
        buffer.append(moving: unwrapInboundIn(data))
        switch ProxyHeader.read(buffer.readableBytesView) {
        case .incomplete: break
        case .malformed: refuse(context)
        case .absent:
            if isRequired { refuse(context) } else { finish(context) }
        case .complete(let client, let byteCount):
            buffer.moveReaderIndex(forwardBy: byteCount)
            guard connection.setClient(client) else {
                isDone = true
                return context.close(promise: nil)
            }
            finish(context)
        }
    }

    /// A client whose address is not known is not answered: its limits would be another's.
    private func refuse(_ context: ChannelHandlerContext) {
        isDone = true
        connection.loop.figures.refused(.proxyHeader)
        context.close(promise: nil)
    }

    private func finish(_ context: ChannelHandlerContext) {
        isDone = true
        if buffer.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(buffer))
            context.fireChannelReadComplete()
        }
        buffer = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
