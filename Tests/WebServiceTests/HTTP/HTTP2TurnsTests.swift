import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import WebService

@Suite("HTTP/2: streams on a full link")
struct HTTP2TurnsTests {
    /// A link that takes what is flushed at once, and then nothing until the test says so.
    private final class FullLink: ChannelOutboundHandler {
        typealias OutboundIn = IOData

        func flush(context: ChannelHandlerContext) {
            context.flush()
            (context.channel as? EmbeddedChannel)?.isWritable = false
        }
    }

    private static let part = ByteBuffer(repeating: 0x61, count: 64 * 1024)

    /// GET of a path of one character, with indexed fields.
    private func request(_ stream: UInt8, _ path: Character) -> [UInt8] {
        let fields: [UInt8] = [0x82, 0x86, 0x41, 9] + Array("localhost".utf8) + [0x04, 2]
        let block = fields + Array("/\(path)".utf8)
        return [0, 0, UInt8(block.count), 1, 5, 0, 0, 0, stream] + block
    }

    @Test("a stream that always has more does not hold up another one")
    func turns() throws {
        let http2 = try EmbeddedConnection(http2: true) { exchange in
            exchange.begin(HTTPResponse(status: .ok))
            repeat { try await exchange.write(Self.part) } while exchange.path == "/a"
            exchange.end()
        }
        try http2.channel.pipeline.syncOperations.addHandler(FullLink(), position: .first)
        // Windows without a limit.
        let settings: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF]
        let window: [UInt8] = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7F, 0, 0, 0]
        try http2.receive(ProtocolSelector.preface + settings + window + request(1, "a"))
        try http2.receive(request(3, "b"))
        var (first, second, isEnded) = (0, 0, false)
        for _ in 0..<20 {
            http2.channel.isWritable = true
            http2.channel.pipeline.fireChannelWritabilityChanged()
            http2.channel.embeddedEventLoop.run()
            for frame in try http2.sent() where frame.kind == 0 {
                if frame.stream == 1 { first += frame.payload.readableBytes }
                if frame.stream == 3 { second += frame.payload.readableBytes }
                isEnded = isEnded || frame.stream == 3 && frame.flags & 1 == 1
            }
        }
        #expect(first > Self.part.readableBytes)
        #expect(second == Self.part.readableBytes)
        #expect(isEnded)
        _ = try http2.channel.finish(acceptAlreadyClosed: true)
    }
}
