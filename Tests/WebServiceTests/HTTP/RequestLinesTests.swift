import HTTPTypes
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import WebService

@Suite("HTTP/1.1: one space between the parts of a request line (RFC 9112, 3)")
struct RequestLinesTests {
    /// What the parser sees at a time of requests without a body, in reads of `size` bytes.
    private func parts(_ text: String, readsOf size: Int = .max) throws -> [String] {
        var lines = RequestLines()
        var parts: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
            var rest = bytes[start...].prefix(size)
            while !rest.isEmpty {
                let count = try rest.withUnsafeBytes { try lines.next($0) }
                #expect(count > 0 && count <= rest.count)
                parts.append(String(decoding: rest.prefix(count), as: UTF8.self))
                rest = rest.dropFirst(count)
                guard parts.joined().hasSuffix("\r\n\r\n") else { continue }
                lines.begin(contentBytes: 0, isChunked: false)
                lines.end()
            }
        }
        return parts
    }

    @Test("the line, and the fields, are parts of their own, however they arrive")
    func cut() throws {
        let one = ["GET /a HTTP/1.1\r\n", "host: a  b\r\nx:\t1\r\n\r\n"]
        let two = ["\r\nPOST /b?c HTTP/1.1\r\n", "\r\n"]
        #expect(try parts((one + two).joined()) == one + two)
        #expect(try parts((one + two).joined(), readsOf: 1).joined() == (one + two).joined())
    }

    @Test(
        "another number of spaces, or another white space, is refused",
        arguments: [
            "GET  /a HTTP/1.1", "GET /a  HTTP/1.1", " GET /a HTTP/1.1", "GET /a HTTP/1.1 ",
            "GET\t/a HTTP/1.1", "GET /a\tHTTP/1.1", "GET /a HTTP/1.1\t", "GET /a",
            "GET /a b HTTP/1.1",
            "GET", "GET  HTTP/1.1",
        ])
    func refused(line: String) {
        for size in [1, 2, .max] {
            #expect(throws: RequestLines.Malformed.self, "\(line)") {
                try parts("GET / HTTP/1.1\r\n\r\n" + line + "\r\n\r\n", readsOf: size)
            }
        }
    }

    @Test("after a body, and after the last chunk, comes a request line", arguments: [1, 3, .max])
    func afterBody(size: Int) throws {
        try expectSecondRefused("content-length: 9\r\n", "a b  c\r\n\n", size)
        try expectSecondRefused(
            "transfer-encoding: chunked\r\n",
            "9;a=b\r\na b  c\r\n\n\r\n0A\r\n0123 5  89\r\n0\r\n\r\n",
            size)
        try expectSecondRefused(
            "transfer-encoding: chunked\r\n", "1\r\na\r\n0\r\na: b  c\r\n\r\n", size)
    }

    /// The first of two requests is answered, and the second has two spaces.
    private func expectSecondRefused(_ field: String, _ body: String, _ size: Int) throws {
        for second in ["GET /b HTTP/1.1", "GET  /b HTTP/1.1"] {
            let http1 = try EmbeddedConnection(http2: false) { exchange in
                _ = try await exchange.body(bytesMax: 1_024)
                exchange.respond(HTTPResponse(status: .ok))
            }
            let bytes = Array(
                "POST /a HTTP/1.1\r\nhost: localhost\r\n\(field)\r\n\(body)\(second)\r\nhost: localhost\r\n\r\n"
                    .utf8)
            for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
                if http1.channel.isActive { try http1.receive(bytes[start...].prefix(size)) }
            }
            let sent = String(buffer: try http1.sentBytes())
            let statuses = sent.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(statuses == ["200", second.contains("  ") ? "400" : "200"], "\(field)\(sent)")
            _ = try http1.channel.finish(acceptAlreadyClosed: true)
        }
    }
}
