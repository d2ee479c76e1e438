import Addresses
import Cryptography
import HTTPTypes
import NIOCore
import NIOEmbedded
import RPC
import ServiceRuntime

@testable import WebService

/// Any frames of a client, in any pieces: the answer consists of whole frames, and no request is
/// left when the connection has ended.
///
/// The first byte chooses the pieces, the rest are frames after the preface of HTTP/2.
package enum HTTP2Fuzz {
    private static let frameHeadBytes = 9

    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        do {
            return try finding(ProtocolSelector.preface + input.dropFirst(), choice)
        } catch {
            return "\(error)"
        }
    }

    private static func finding(_ bytes: [UInt8], _ choice: UInt8) throws -> String? {
        guard let peer = ClientAddress("127.0.0.1") else { return "no address" }
        let channel = EmbeddedChannel()
        let shared = WebShared(
            WebListenerSettings(host: "127.0.0.1", port: 0), tls: nil, time: SystemTime(),
            randomness: SecureRandomness(), logger: .silent, observation: WebObservation(),
            responder: answer)
        let connection = WebConnection(
            shared, WebLoop(channel.embeddedEventLoop, shared, loopCount: 1), peer: peer,
            isFromTrustedProxy: false, isTLS: false)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(connection)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        connection.speaks(http2: true)
        try HTTP2Connection.addHandlers(to: channel, connection)
        var rest = bytes[...]
        while !rest.isEmpty, channel.isActive {
            let count = choice == 0 ? rest.count : min(rest.count, Int(choice))
            try channel.writeInbound(ByteBuffer(bytes: rest.prefix(count)))
            rest = rest.dropFirst(count)
            channel.embeddedEventLoop.run()
        }
        let answer = try answer(on: channel)
        _ = try channel.finish(acceptAlreadyClosed: true)
        channel.embeddedEventLoop.run()
        guard connection.runningCount == 0 else {
            return "\(connection.runningCount) requests left"
        }
        return answer
    }

    /// What is wrong with the server's frames.
    private static func answer(on channel: EmbeddedChannel) throws -> String? {
        var sent = ByteBuffer()
        while case .byteBuffer(var part)? = try channel.readOutbound(as: IOData.self) {
            sent.writeBuffer(&part)
        }
        guard sent.readableBytes > 0 else { return "no SETTINGS" }
        var isFirst = true
        while sent.readableBytes > 0 {
            guard let head = sent.readBytes(length: frameHeadBytes) else { return "half a head" }
            let length = head.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            guard sent.readSlice(length: length) != nil else { return "half a frame" }
            guard !isFirst || head[3] == 4 else { return "the first frame is no SETTINGS" }
            isFirst = false
        }
        return nil
    }

    private static let answer: WebResponder = { exchange in
        let body = try await exchange.body(bytesMax: 1_024)
        exchange.respond(HTTPResponse(status: .ok), body, trailers: [.server: "fuzz"])
    }
}
