import ArgumentParser
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix

/// A server of swift-nio-http2 alone, with one event loop, that sends each request of gRPC the same
/// response: the part of HTTP/2 in the cost of a call through the web service. Prints its port and
/// runs until it is killed.
struct HTTP2Floor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "http2-floor")

    @Option(help: "Bytes of the response's message.")
    var messageBytes = 60

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let messageBytes = messageBytes
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.configureHTTP2Pipeline(
                    mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                ) { stream in
                    stream.eventLoop.makeCompletedFuture {
                        try stream.pipeline.syncOperations.addHandler(
                            ConstantResponse(messageBytes: messageBytes))
                    }
                }.map { _ in }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await RunningServer.listens(on: listener.localAddress?.port ?? 0)
    }
}

/// Answers the request of one stream when it has ended.
private final class ConstantResponse: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let messageBytes: Int

    init(messageBytes: Int) {
        self.messageBytes = messageBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let headers) where headers.endStream: respond(context)
        case .data(let data) where data.endStream: respond(context)
        default: break
        }
    }

    private func respond(_ context: ChannelHandlerContext) {
        var message = context.channel.allocator.buffer(capacity: 5 + messageBytes)
        message.writeInteger(UInt8(0))
        message.writeInteger(UInt32(messageBytes))
        message.writeRepeatingByte(0, count: messageBytes)
        let head: HPACKHeaders = [":status": "200", "content-type": "application/grpc"]
        write(.headers(.init(headers: head)), context)
        write(.data(.init(data: .byteBuffer(message))), context)
        write(.headers(.init(headers: ["grpc-status": "0"], endStream: true)), context)
        context.flush()
    }

    private func write(_ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(payload), promise: nil)
    }
}
