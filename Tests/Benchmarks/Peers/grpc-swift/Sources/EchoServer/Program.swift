import GRPCCore
import GRPCNIOTransportHTTP2
import Glibc
import NIOPosix

/// grpc-swift-2 as a peer: prints its port, then runs until it is killed. One event loop, since it
/// gets one core.
@main
struct Program {
    static func main() async throws {
        let server = GRPCServer(
            transport: .http2NIOPosix(
                address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext,
                eventLoopGroup: MultiThreadedEventLoopGroup(numberOfThreads: 1)),
            services: [EchoService()])
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await server.serve() }
            print(try await server.listeningAddress?.ipv4?.port ?? 0)
            fflush(nil)
        }
    }
}
