import Cryptography
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("A part that does not answer in time is named by its caller", .timeLimit(.minutes(1)))
struct NamedPartTests {
    private static let relayed = MethodDescription(
        name: "test.v1.Front/Relay", isIdempotent: false, timeout: .seconds(10), isOnLoop: false)

    /// A server that calls `peer` for its caller and passes the caller's deadline on.
    private static func front(
        of peer: RPCClient, group: MultiThreadedEventLoopGroup
    ) async throws -> RPCServer {
        try await RPCServer.start(
            ServerSettings(service: "postern.front", host: "127.0.0.1", port: 0),
            services: [
                ServiceMethods(
                    ServiceDescription(name: "test.v1.Front", methods: [], fileDescriptors: []),
                    [
                        .async(relayed) { (request: EchoService.Request, context) in
                            let answer: EchoService.Response = try await peer.call(
                                EchoService.gated, request, context.onward())
                            return answer
                        }
                    ])
            ],
            applications: Applications(
                name: TestKey.application, keyID: TestKey.keyID, key: TestKey.right,
                mayAssertClientAddress: false),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: CapturedLog().logger())
    }

    /// Calls through a server whose peer listens on `port`. It is repeated, since the event loop of a
    /// busy machine may wake later than the margin in which the server names its peer.
    private static func expectNamed(
        peerPort port: Int, _ loopback: Loopback, calls: Int = 1
    ) async throws {
        let peer = Loopback.client(port: port, group: loopback.group)
        let front = try await front(of: peer, group: loopback.group)
        let client = Loopback.client(
            port: front.port, group: loopback.group, service: "postern.front")
        let isNamed = try await eventually(within: .seconds(5)) {
            let errors = await withTaskGroup(of: ServiceError?.self) { group in
                for _ in 0..<calls {
                    group.addTask {
                        await #expect(throws: ServiceError.self) {
                            let _: EchoService.Response = try await client.call(
                                relayed, EchoService.Request(),
                                client.context(timeout: .seconds(1)))
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.allSatisfy { $0?.code == .deadlineExceeded })
            return errors.allSatisfy { $0?.unavailablePart == "front.test.echo" }
        }
        #expect(isNamed)
        client.close()
        peer.close()
        await front.drain()
    }

    @Test("X-07: a peer whose handler hangs", arguments: [1, 10])
    func handler(calls: Int) async throws {
        try await Loopback.run { loopback in
            try await Self.expectNamed(peerPort: loopback.server.port, loopback, calls: calls)
        }
    }

    @Test("X-07: a peer that accepts and never answers")
    func program() async throws {
        let listener = try RawListener()
        try await Loopback.run { loopback in
            async let named: Void = Self.expectNamed(peerPort: listener.port, loopback)
            let server = try listener.accept()
            server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
            try await named
            withExtendedLifetime(server) {}
        }
    }

    @Test("X-07: a stream names it too")
    func stream() async throws {
        try await Loopback.run { loopback in
            let items: IncomingItems<EchoService.Response> = loopback.client.serverStream(
                EchoService.held, EchoService.Request(),
                loopback.client.context(timeout: .milliseconds(200)))
            let error = await #expect(throws: ServiceError.self) { for try await _ in items {} }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.unavailablePart == "test.echo")
        }
    }
}
