import HTTPTypes
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import WebService

@Suite("B9: bytes of bodies are wiped")
struct WipedBytesTests {
    private static let secret = "canary7canary"

    private func connection(http2: Bool) throws -> EmbeddedConnection {
        try EmbeddedConnection(http2: http2) { exchange in
            let body = try await exchange.body(bytesMax: 1_024)
            let response = HTTPResponse(
                status: String(buffer: body) == Self.secret ? .ok : .badRequest)
            body.wipe()
            exchange.respond(response)
        }
    }

    private func hasSecret(_ buffer: ByteBuffer) -> Bool {
        String(buffer: buffer).contains("canary")
    }

    /// Passes on each part as the memory of one read. Returns these memories as they are then.
    private func memories(_ parts: [String], closes: Bool) throws -> [ByteBuffer] {
        let http1 = try connection(http2: false)
        let reads = parts.map { ByteBuffer(string: $0) }
        for read in reads {
            try http1.channel.writeInbound(read)
            http1.channel.embeddedEventLoop.run()
        }
        let sent = String(buffer: try http1.sentBytes())
        #expect(sent.hasPrefix("HTTP/1.1 200 "), "\(parts): \(sent)")
        if closes { #expect(try http1.finish() == 0) }
        return reads
    }

    @Test("of HTTP/1.1, while the connection is kept, however its bytes arrive")
    func http1() throws {
        let request =
            "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: \(Self.secret.utf8.count)\r\n\r\n"
            + Self.secret
        for place in 1..<request.utf8.count {
            let start = request.utf8.index(request.startIndex, offsetBy: place)
            let parts = [String(request[..<start]), String(request[start...])]
            for memory in try memories(parts, closes: false) {
                #expect(!hasSecret(memory), "split at \(place)")
            }
        }
        let bytes = try memories(request.map { String($0) }, closes: true)
        for memory in bytes.suffix(Self.secret.utf8.count) {
            #expect(memory.readableBytesView.allSatisfy { $0 == 0 })
        }
    }

    @Test("of HTTP/1.1, after a part that cannot be read")
    func dropped() throws {
        let http1 = try connection(http2: false)
        let read = ByteBuffer(string: "GET /\u{1} HTTP/1.1\r\n\r\n\(Self.secret)")
        try http1.channel.writeInbound(read)
        http1.channel.embeddedEventLoop.run()
        #expect(!hasSecret(read))
    }

    @Test("of HTTP/2, as soon as they are read")
    func http2() throws {
        let http2 = try connection(http2: true)
        var bytes = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        bytes.writeBytes([0, 0, 0, 4, 0, 0, 0, 0, 0] as [UInt8])
        // POST / of localhost.
        let block = [0x83, 0x86, 0x84, 0x41, 9] + Array("localhost".utf8)
        bytes.writeBytes([0, 0, UInt8(block.count), 1, 4, 0, 0, 0, 1] + block)
        bytes.writeBytes([0, 0, UInt8(Self.secret.utf8.count), 0, 1, 0, 0, 0, 1])
        bytes.writeString(Self.secret)
        try http2.channel.writeInbound(bytes)
        http2.channel.embeddedEventLoop.run()
        #expect(bytes.readableBytesView.allSatisfy { $0 == 0 })
        // 200, of HPACK's static table.
        let head = try http2.sent().first { $0.kind == 1 }
        #expect(head?.payload.readableBytesView.first == 0x88)
    }

    @Test("a buffer that grows wipes what it leaves")
    func growth() {
        let first = ByteBuffer(string: Self.secret).moved()
        var whole = first
        for _ in 0..<100 {
            let part = ByteBuffer(string: Self.secret)
            let before = whole
            whole.append(moving: part)
            #expect(!hasSecret(part))
            if before.writableBytes < part.readableBytes { #expect(!hasSecret(before)) }
        }
        #expect(String(buffer: whole) == String(repeating: Self.secret, count: 101))
    }
}
