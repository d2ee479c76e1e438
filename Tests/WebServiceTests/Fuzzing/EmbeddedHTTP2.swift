import Addresses
import Cryptography
import NIOCore
import NIOEmbedded
import RPC
import ServiceRuntime

@testable import WebService

/// An HTTP/2 connection of the web service without a socket.
struct EmbeddedHTTP2 {
    /// A frame that the server has sent.
    struct Frame {
        let kind: UInt8
        let flags: UInt8
        let stream: UInt8
        let payload: ByteBuffer
    }

    /// What was sent is not a sequence of whole frames.
    struct HalfFrame: Error {}

    let channel = EmbeddedChannel()
    let connection: WebConnection

    init(answeredBy responder: @escaping WebResponder) throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        guard let peer = ClientAddress("127.0.0.1") else { throw HalfFrame() }
        let shared = WebShared(
            WebListenerSettings(host: "127.0.0.1", port: 0), tls: nil, time: SystemTime(),
            randomness: SecureRandomness(), logger: .silent, observation: WebObservation(),
            responder: responder)
        let loop = WebLoop(channel.embeddedEventLoop, shared, loopCount: 1)
        loop.listens(on: 80)
        connection = WebConnection(
            shared, loop, peer: peer, isFromTrustedProxy: false, isTLS: false)
        try channel.pipeline.syncOperations.addHandler(connection)
        try channel.connect(to: address).wait()
        connection.speaks(http2: true)
        try HTTP2Connection.addHandlers(to: channel, connection)
    }

    /// Passes bytes of the client on, and runs what follows from them.
    func receive(_ bytes: some Sequence<UInt8>) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        channel.embeddedEventLoop.run()
    }

    /// The frames since the last call.
    func sent() throws -> [Frame] {
        var bytes = ByteBuffer()
        while case .byteBuffer(var part)? = try channel.readOutbound(as: IOData.self) {
            bytes.writeBuffer(&part)
        }
        var frames: [Frame] = []
        while bytes.readableBytes > 0 {
            guard let head = bytes.readBytes(length: 9),
                let payload = bytes.readSlice(
                    length: head.prefix(3).reduce(0) { $0 << 8 | Int($1) })
            else { throw HalfFrame() }
            frames.append(
                Frame(kind: head[3], flags: head[4], stream: head[8], payload: payload))
        }
        return frames
    }
}
