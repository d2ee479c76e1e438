import Cryptography
import Logging
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport
import Testing

/// A server and its clients in one process, over real sockets.
struct Loopback: Sendable {
    let group: MultiThreadedEventLoopGroup
    let server: RPCServer
    let client: RPCClient
    let echo: EchoService
    let log: CapturedLog

    var gate: Gate { echo.gate }

    /// Runs `body` with a server and a client, then stops both.
    static func run(
        limits: Limits = Limits(), loops: Int = 1,
        body: @Sendable (Loopback) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        let echo = EchoService()
        let log = CapturedLog()
        do {
            let server = try await server(echo, limits: limits, group: group, log: log)
            let client = client(port: server.port, group: group)
            let loopback = Loopback(
                group: group, server: server, client: client, echo: echo, log: log)
            try await TestThreads.run { try await body(loopback) }
            client.close()
            echo.gate.open()
            await server.drain()
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    /// A server's limits.
    struct Limits: Sendable {
        var frameBytesMax = FrameLimits.frameBytesDefault
        var callsMax = FrameLimits.callsMax
        var streamCredit = FrameLimits.streamCredit
        var server = ServerLimits()
        var formalLanguages = FormalLanguages.none

        /// A copy with the server's limits changed by `change`.
        func with(_ change: (inout ServerLimits) -> Void) -> Limits {
            var limits = self
            change(&limits.server)
            return limits
        }
    }

    /// A server of the echo service on `port`.
    static func server(
        _ echo: EchoService, port: Int = 0, limits: Limits = Limits(),
        group: MultiThreadedEventLoopGroup, log: CapturedLog = CapturedLog()
    ) async throws -> RPCServer {
        try await RPCServer.start(
            ServerSettings(
                service: "test.echo", host: "127.0.0.1", port: port,
                frameBytesMax: limits.frameBytesMax, callsMax: limits.callsMax,
                streamCredit: limits.streamCredit, limits: limits.server,
                formalLanguages: limits.formalLanguages),
            services: [echo.methods],
            applications: Applications(
                name: TestKey.application, keyID: TestKey.keyID, key: TestKey.right,
                mayAssertClientAddress: true),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: log.logger())
    }

    /// A client of the server on `port`.
    static func client(
        port: Int, group: MultiThreadedEventLoopGroup, service: String = "test.echo",
        secret: KeyedHash = TestKey.right, streamCredit: UInt32 = FrameLimits.streamCredit
    ) -> RPCClient {
        RPCClient(
            ClientSettings(
                service: service, host: "127.0.0.1", port: port,
                application: TestKey.application, keyID: TestKey.keyID, secret: secret,
                streamCredit: streamCredit),
            group: group, time: SystemTime(), randomness: SecureRandomness())
    }

    /// Calls `method` with `text` and returns the answer's text.
    func call(
        _ method: MethodDescription, _ text: String, timeout: Duration = .seconds(20),
        metadata: Metadata = Metadata()
    ) async throws -> String {
        let response: EchoService.Response = try await client.call(
            method, EchoService.Request(accessToken: text),
            client.context(timeout: timeout, metadata: metadata))
        return response.sessionId
    }

    /// Expects that `method` returns the text that it was sent.
    func expectEcho(
        _ method: MethodDescription, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await call(method, text)
        #expect(answer == text, sourceLocation: sourceLocation)
    }

    /// The error of a call, or nil if it succeeds.
    func failure(
        _ method: MethodDescription, _ text: String = "", timeout: Duration = .seconds(20),
        metadata: Metadata = Metadata()
    ) async throws -> ServiceError? {
        do {
            _ = try await call(method, text, timeout: timeout, metadata: metadata)
            return nil
        } catch let error as ServiceError {
            return error
        }
    }
}
