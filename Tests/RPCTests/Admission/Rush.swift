import Cryptography
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

/// A server on several event loops whose one method counts how many handlers run at once.
final class Rush: Sendable {
    private struct State {
        var atOnce = 0
        var mostAtOnce = 0
    }

    private let state = Mutex(State())

    /// Handlers that run now.
    var atOnce: Int { state.withLock { $0.atOnce } }
    /// The most handlers that ran at once.
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    private static let method = MethodDescription(
        name: "test.v1.Rush/Run", isIdempotent: false, timeout: .seconds(30), isOnLoop: false)

    private var methods: ServiceMethods {
        ServiceMethods(
            ServiceDescription(name: "test.v1.Rush", methods: [], fileDescriptors: []),
            [
                .async(Self.method) { [self] (_: EchoService.Request, _) in
                    state.withLock { state in
                        state.atOnce += 1
                        state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
                    }
                    // Half of the handlers end at once, half after a yield.
                    if atOnce.isMultiple(of: 2) { await Task.yield() }
                    state.withLock { $0.atOnce -= 1 }
                    return EchoService.Response(valid: true)
                }
            ])
    }

    /// Serves while `body` makes calls. A call returns true if it was served, false if it was shed.
    func run(
        limits: ServerLimits, loops: Int,
        _ body: @Sendable (@escaping @Sendable () async throws -> Bool) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        let server = try await RPCServer.start(
            ServerSettings(service: "test.echo", host: "127.0.0.1", port: 0, limits: limits),
            services: [methods],
            applications: Applications(
                name: TestKey.application, keyID: TestKey.keyID, key: TestKey.right,
                mayAssertClientAddress: false),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: CapturedLog().logger())
        let client = Loopback.client(port: server.port, group: group)
        try await body { try await Self.isServed(client) }
        #expect(server.runningCount == 0)
        #expect(server.waitingCount == 0)
        client.close()
        await server.drain()
        try await group.shutdownGracefully()
    }

    private static func isServed(_ client: RPCClient) async throws -> Bool {
        do {
            let _: EchoService.Response = try await client.call(
                method, EchoService.Request(accessToken: ""),
                client.context(timeout: .seconds(30)))
            return true
        } catch let error as ServiceError where error.code == .resourceExhausted {
            return false
        }
    }
}
