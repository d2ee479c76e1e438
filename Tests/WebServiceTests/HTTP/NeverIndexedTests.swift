import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import WebService

@Suite("HTTP/2: fields that no table keeps")
struct NeverIndexedTests {
    @Test("fields that set a cookie are never indexed by HTTP/2 (RFC 7541, 6.2.3)")
    func neverIndexed() async throws {
        let http2 = try EmbeddedConnection(http2: true) { exchange in
            var head = HTTPResponse(status: .ok)
            head.headerFields.append(
                HostCookie("c", isPlainLoopback: false, valueBytesMax: 9)
                    .field("value", .strict, maxAge: 1))
            head.headerFields[.accept] = "text"
            exchange.respond(head)
        }
        let block = [0x82, 0x86, 0x84, 0x41, 9] + Array("localhost".utf8)
        try http2.receive(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
        try http2.receive([0, 0, 0, 4, 0, 0, 0, 0, 0])
        try http2.receive([0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block)
        let head = try #require(try http2.sent().first { $0.kind == 1 })
        let bytes = Array(head.payload.readableBytesView)
        // A literal that is never indexed, with the name 55 of the static table, `set-cookie`;
        // `accept`, 19, is a literal with indexing.
        #expect(bytes.indices.dropLast().contains { bytes[$0] == 0x1F && bytes[$0 + 1] == 55 - 15 })
        #expect(bytes.contains(0x40 | 19))
    }
}
