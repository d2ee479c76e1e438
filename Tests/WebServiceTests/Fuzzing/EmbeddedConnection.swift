import Addresses
import Cryptography
import NIOCore
import NIOEmbedded
import RPC
import ServiceRuntime

@testable import WebService

/// A connection of the web service without a socket.
struct EmbeddedConnection {
    /// A frame of HTTP/2 that the server has sent.
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

    init(http2: Bool, answeredBy responder: @escaping WebResponder) throws {
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
        try connection.install(http2: http2, on: channel)
    }

    /// Passes bytes of the client on, and runs what follows from them.
    func receive(_ bytes: some Sequence<UInt8>) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        channel.embeddedEventLoop.run()
    }

    /// Passes bytes on in pieces of at most `size`, until the connection ends; with 0 as a whole.
    func receive(_ bytes: [UInt8], inPiecesOf size: UInt8) throws {
        var rest = bytes[...]
        while !rest.isEmpty, channel.isActive {
            let count = size == 0 ? rest.count : min(rest.count, Int(size))
            try receive(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }

    /// Closes the channel, and runs what follows.
    /// - Returns: the number of requests that are left.
    func finish() throws -> Int {
        _ = try channel.finish(acceptAlreadyClosed: true)
        channel.embeddedEventLoop.run()
        return connection.runningCount
    }

    /// The bytes that were sent since the last call.
    func sentBytes() throws -> ByteBuffer {
        var bytes = ByteBuffer()
        while case .byteBuffer(var part)? = try channel.readOutbound(as: IOData.self) {
            bytes.writeBuffer(&part)
        }
        return bytes
    }

    /// The same as frames.
    func sent() throws -> [Frame] {
        var bytes = try sentBytes()
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
