import ArgumentParser
import NIOCore
import NIOPosix

/// A server of swift-nio alone, with one event loop, that sends back what it reads: the library's part
/// in the cost of a call, which is most of it with one call in flight. Prints its port and runs until
/// it is killed.
struct NIOFloor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "nio-floor")

    func run() async throws {
        let listener = try await ServerBootstrap(
            group: MultiThreadedEventLoopGroup(numberOfThreads: 1)
        )
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(SendBack())
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
        try await RunningServer.listens(on: listener.localAddress?.port ?? 0)
    }
}

/// Sends what arrived with one flush for each read.
private final class SendBack: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.write(data, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }
}
