import NIOCore
import NIOPosix
import NIOSSL

/// Passes bytes on between two sides, each plain or TLS. It lets a plain test socket talk to a TLS
/// server, and it can act as a man in the middle.
final class Relay: Sendable {
    private let listener: any Channel
    let port: Int

    /// - Parameters:
    ///   - server: the TLS context towards callers; nil for none.
    ///   - client: the TLS context towards `port`; nil for none.
    init(
        to port: Int, group: MultiThreadedEventLoopGroup, server: NIOSSLContext? = nil,
        client: NIOSSLContext?
    ) async throws {
        listener = try await ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { near in
                near.eventLoop.makeCompletedFuture {
                    let pipeline = near.pipeline.syncOperations
                    if let server {
                        try pipeline.addHandler(NIOSSLServerHandler(context: server))
                    }
                    let glue = GlueHandler()
                    try pipeline.addHandler(glue)
                    Self.connect(near, glue, to: port, client)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.port = listener.localAddress?.port ?? 0
    }

    deinit { listener.close(promise: nil) }

    private static func connect(
        _ near: any Channel, _ glue: GlueHandler, to port: Int, _ client: NIOSSLContext?
    ) {
        let bound = NIOLoopBound(glue, eventLoop: near.eventLoop)
        ClientBootstrap(group: near.eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { far in
                far.eventLoop.makeCompletedFuture {
                    let pipeline = far.pipeline.syncOperations
                    if let client {
                        try pipeline.addHandler(
                            NIOSSLClientHandler(context: client, serverHostname: "localhost"))
                    }
                    let other = GlueHandler()
                    try pipeline.addHandler(other)
                    other.partner = near
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                guard case .success(let far) = result else { return near.close(promise: nil) }
                bound.value.partner = far
            }
    }
}

/// Passes what it reads to its partner's channel, and the end of its input too.
private final class GlueHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Nil until it is connected. Bytes that arrive before are kept.
    var partner: (any Channel)? {
        didSet {
            for bytes in waiting { partner?.writeAndFlush(bytes, promise: nil) }
            waiting = []
            if isInputClosed { partner?.close(mode: .output, promise: nil) }
        }
    }
    private var waiting: [ByteBuffer] = []
    private var isInputClosed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard let partner else { return waiting.append(bytes) }
        partner.writeAndFlush(bytes, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return }
        isInputClosed = true
        partner?.close(mode: .output, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        partner?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
