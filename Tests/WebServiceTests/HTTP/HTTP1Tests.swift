import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import WebService

@Suite("The web listener: HTTP/1.1")
struct HTTP1Tests {
    @Test("one connection answers several requests, and closes when the client asks for it")
    func keepAlive() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("GET", "/one"))
            try await client.text { $0.hasSuffix("\r\n\r\n/one") }
            client.send(server.request("POST", "/echo", "content-length: 5\r\n", "hello"))
            try await client.text { $0.hasSuffix("\r\n\r\nhello") }
            client.send(server.request("GET", "/two", "connection: close\r\n"))
            let text = try await client.closed()
            #expect(text.hasSuffix("connection: close\r\n\r\n/two"))
            #expect(text.split(separator: "HTTP/1.1 200 OK\r\n").count == 3)
            #expect(
                text.contains(/date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT/))
        }
    }

    @Test("pipelined requests are answered in their order")
    func pipelining() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(
                server.request("GET", "/wait")
                    + server.request("POST", "/echo", "content-length: 3\r\n", "two")
                    + server.request("GET", "/three", "connection: close\r\n"))
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            #expect(client.text == "")
            server.answers.proceeds.raise()
            let text = try await client.closed()
            let bodies = text.split(separator: "\r\n\r\n").dropFirst()
                .map { $0.split(separator: "HTTP/1.1").first.map(String.init) ?? "" }
            #expect(bodies == ["waited", "two", "/three"])
        }
    }

    @Test("a client that pipelines too many requests is closed")
    func pipelinedMax() async throws {
        try await WebServer.run {
            $0.limits.pipelinedMax = 4
        } body: { server in
            let client = try await RawClient.connect(server)
            client.send(
                server.request("GET", "/wait")
                    + String(repeating: server.request("GET", "/"), count: 5))
            #expect(try await client.closed() == "")
            #expect(server.metric("web_refusals_total{reason=\"pipelining\"}") == 1)
        }
    }

    @Test("a chunked request is read, and a response of unknown length is chunked with trailers")
    func chunks() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(
                server.request(
                    "POST", "/echo", "transfer-encoding: chunked\r\n",
                    "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"))
            try await client.text { $0.hasSuffix("\r\n\r\nabcde") }
            client.send(server.request("GET", "/stream", "connection: close\r\n"))
            let text = try await client.closed()
            #expect(text.hasSuffix("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\nx-end: done\r\n\r\n"))
        }
    }

    @Test("a response to HEAD has the length and no body")
    func head() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("HEAD", "/four"))
            let head = try await client.text { $0.hasSuffix("\r\n\r\n") }
            #expect(head.contains("content-length: 5\r\n"))
            client.send(server.request("HEAD", "/stream", "connection: close\r\n"))
            #expect(try await client.closed().hasSuffix("\r\n\r\n"))
        }
    }

    @Test("a client that expects 100-continue gets it when its body is read")
    func expectContinue() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(
                server.request(
                    "POST", "/echo", "content-length: 2\r\nexpect: 100-continue\r\n"))
            try await client.text { $0 == "HTTP/1.1 100 Continue\r\n\r\n" }
            client.send("ok")
            try await client.text { $0.hasSuffix("\r\n\r\nok") }
        }
    }

    @Test("a response before the body arrives in full, and then the connection closes")
    func early() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("POST", "/early", "content-length: 100000\r\n", "start"))
            let text = try await client.closed()
            #expect(text.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
            #expect(text.contains("connection: close\r\n"))
        }
    }

    @Test("a body that has more than the limit is answered with 413")
    func tooLarge() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("POST", "/echo", "content-length: 131073\r\n"))
            #expect(try await client.closed().hasPrefix("HTTP/1.1 413 "))
            let chunked = try await RawClient.connect(server)
            chunked.send(
                server.request(
                    "POST", "/echo", "transfer-encoding: chunked\r\n",
                    "20001\r\n" + String(repeating: "x", count: 0x20001) + "\r\n"))
            #expect(try await chunked.closed().hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("extensions of chunks are limited, also where the body itself is within its limit")
    func chunkExtensions() async throws {
        try await WebServer.run {
            $0.limits.chunkOverheadBytesMax = 1_000
        } body: { server in
            let client = try await RawClient.connect(server)
            let head = server.request(
                "POST", "/echo", "transfer-encoding: chunked\r\nexpect: 100-continue\r\n")
            func begin() async throws {
                client.send(head)
                try await client.text { $0.hasSuffix("HTTP/1.1 100 Continue\r\n\r\n") }
            }
            func name(_ count: Int) -> String { String(repeating: "a", count: count) }
            try await begin()
            client.send("2;\(name(900))\r\nok\r\n0\r\n\r\n")
            try await client.text { $0.hasSuffix("\r\n\r\nok") }
            try await begin()
            client.send("2;\(name(1_100))")
            #expect(try await client.closed().contains("HTTP/1.1 400 "))
            #expect(server.metric("web_refusals_total{reason=\"malformed\"}") == 1)
        }
    }

    @Test("small chunks are no overhead")
    func smallChunks() async throws {
        try await WebServer.run {
            $0.limits.chunkOverheadBytesMax = 1_000
        } body: { server in
            let client = try await RawClient.connect(server)
            client.send(
                server.request(
                    "POST", "/echo", "transfer-encoding: chunked\r\n",
                    String(repeating: "1\r\na\r\n", count: 5_000) + "0\r\n\r\n"))
            try await client.text {
                $0.hasSuffix("\r\n\r\n" + String(repeating: "a", count: 5_000))
            }
        }
    }

    @Test("a failure is answered as short text that no cache keeps")
    func failures() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("GET", "/refuse"))
            let text = try await client.text { $0.hasSuffix("already there\n") }
            #expect(text.hasPrefix("HTTP/1.1 409 Conflict\r\n"))
            #expect(text.contains("content-type: text/plain; charset=utf-8\r\n"))
            #expect(text.contains("cache-control: no-store\r\n"))
            #expect(text.contains("x-content-type-options: nosniff\r\n"))
            for path in ["/crash", "/nothing"] {
                let client = try await RawClient.connect(server)
                client.send(server.request("GET", path))
                let text = try await client.text { $0.hasSuffix("internal error\n") }
                #expect(text.hasPrefix("HTTP/1.1 500 "))
            }
            let half = try await RawClient.connect(server)
            half.send(server.request("GET", "/half"))
            #expect(try await half.closed().hasSuffix("4\r\nhalf\r\n"))
            #expect(server.metric("web_requests_total{status=\"5xx\"}") == 2)
        }
    }

    @Test("there is no upgrade to HTTP/2")
    func upgrade() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(
                server.request(
                    "GET", "/same",
                    "connection: upgrade, http2-settings\r\nupgrade: h2c\r\n"
                        + "http2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"))
            let text = try await client.closed()
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.hasSuffix("\r\n\r\n/same"))
        }
    }

    @Test("HTTP/1.0 is answered and closed, without chunks")
    func old() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send("GET /stream HTTP/1.0\r\nhost: \(server.host)\r\n\r\n")
            #expect(try await client.closed().hasSuffix("connection: close\r\n\r\nonetwo"))
        }
    }

    @Test(
        "a request that two servers could split differently is refused",
        arguments: [
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: H\r\ntransfer-encoding: chunked\r\ncontent-length: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length: 1, 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length: +1\r\n\r\nx",
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length: 0x1\r\n\r\nx",
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: H\r\ncontent-length : 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nhost: H\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: H\r\ntransfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: H\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: H\r\ntransfer-encoding: identity\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: H\r\na: b\r\n c: d\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: H\r\n a: b\r\n\r\n",
            "GET / HTTP/1.1\nhost: H\n\n",
            "GET / HTTP/1.1\r\nhost: H\na: b\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: H\r\na b: c\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: H\r\n: c\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: H\r\na: b\u{0}c\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: H\r\nhost: H\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: H\r\nHost: evil.example\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET http://evil.example/ HTTP/1.1\r\nhost: H\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: evil@H\r\n\r\n",
            "GET / HTTP/2.0\r\nhost: H\r\n\r\n",
            "GET / HTTP/0.9\r\nhost: H\r\n\r\n",
            "FOO / HTTP/1.1\r\nhost: H\r\n\r\n",
            "CONNECT H HTTP/1.1\r\nhost: H\r\n\r\n",
            "TRACE / HTTP/1.1\r\nhost: H\r\n\r\n",
            "\u{16}\u{3}\u{1}not http",
        ])
    func smuggling(vector: String) async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            // If the first were read differently, the second would be answered.
            client.send(
                vector.replacing("H\r\n", with: server.host + "\r\n")
                    + server.request("GET", "/smuggled", "connection: close\r\n"))
            let text = try await client.text { $0.contains("\n\n") || $0.contains("\r\n\r\n") }
            let status = text.dropFirst("HTTP/1.1 ".count).prefix(3)
            #expect(["400", "405", "421", "501", "505"].contains(status), "\(text)")
        }
    }

    @Test(
        "a chunk that two servers could read differently ends the connection",
        arguments: [
            "3\nabc\r\n0\r\n\r\n", "3 \nabc\r\n0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n",
            "-3\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc0\r\n\r\n",
            "fffffffffffffffff\r\nabc\r\n0\r\n\r\n", "\r\nabc\r\n0\r\n\r\n",
        ])
    func chunkVectors(chunks: String) async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(
                server.request("POST", "/echo", "transfer-encoding: chunked\r\n", chunks)
                    + server.request("GET", "/smuggled"))
            let text = try await client.closed()
            #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
            #expect(!text.contains("/smuggled"))
        }
    }
}
