import Logging
import Messages
import NIOCore
import NIOEmbedded
import TestSupport

@testable import RPC

/// A server's or client's connection without a socket, with manual time.
struct QuietServerFixture {
    let time = ManualTime()
    let loop = EmbeddedEventLoop()
    let echo = EchoService()

    /// A server's connection that has just been accepted.
    func serverConnection(
        _ limits: ServerLimits = ServerLimits(), methods: ServiceMethods? = nil
    ) throws -> (channel: EmbeddedChannel, shared: ServerShared) {
        let shared = ServerShared(
            settings: ServerSettings(
                service: "test.echo", host: "127.0.0.1", port: 0, limits: limits),
            methods: MethodTable([methods ?? echo.methods]),
            applications: Applications(
                name: TestKey.application, keyID: TestKey.keyID, key: TestKey.right,
                mayAssertClientAddress: false),
            time: time, randomness: SeededRandomness(), logger: CapturedLog().logger())
        let connection = ServerConnection(shared, LoopResources(loop))
        let channel = EmbeddedChannel(handler: connection, loop: loop)
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, shared)
    }

    /// Advances the clocks and the event loop's timers.
    func pass(_ duration: Duration) {
        time.advance(by: duration)
        loop.advanceTime(by: TimeAmount(duration))
    }

    /// Sends `kind` to the connection behind `channel`.
    func say(_ kind: WireV1.Frame.Kind, to channel: EmbeddedChannel) throws {
        var bytes = ByteBuffer()
        FrameWriter.write(kind, to: &bytes)
        try channel.writeInbound(bytes)
        loop.run()
    }

    /// Sends a good Hello.
    func greet(_ channel: EmbeddedChannel) throws {
        guard case .hello(let server) = try received(from: channel).first else { return }
        var hello = WireV1.Hello(
            version: 1, service: "test.echo", application: TestKey.application,
            keyId: TestKey.keyID)
        hello.proof = ApplicationProof.make(
            challenge: server.challenge, hello, key: TestKey.right)
        try say(.hello(hello), to: channel)
    }

    /// The frames that the connection has sent since the last call.
    func received(from channel: EmbeddedChannel) throws -> [WireV1.Frame.Kind] {
        var frames: [WireV1.Frame.Kind] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            _ = FrameDecoder.forEachFrame(in: buffer, frameBytesMax: { .max }) { bytes, range in
                let frame = try? WireV1.Frame(decoding: Array(bytes[range]))
                if let kind = frame?.kind { frames.append(kind) }  // our own frames decode
                return true
            }
        }
        return frames
    }

    /// The reasons of the GoAways that the connection has sent since the last call.
    func goAways(from channel: EmbeddedChannel) throws -> [WireV1.GoAwayReason] {
        try received(from: channel).compactMap { kind in
            if case .goAway(let goAway) = kind { goAway.reason } else { nil }
        }
    }
}
