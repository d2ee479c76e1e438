import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOSSL
import Synchronization
import TestSupport
import Testing
import WebService

@Suite("The web listener: HTTP/2 and TLS")
struct HTTP2Tests {
    @Test("HTTP/2 by prior knowledge answers requests at once on one connection")
    func priorKnowledge() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let echo = try await client.request(
                .post, "/echo", "hello", authority: server.host)
            let stream = try await client.request(.get, "/stream", authority: server.host)
            let who = try await client.request(.get, "/who", authority: server.host)
            let (status, body, _) = try await echo.response()
            #expect(status == 200)
            #expect(body == "hello")
            let streamed = try await stream.response()
            #expect(streamed.body == "onetwo")
            #expect(HTTPField.Name("x-end").flatMap { streamed.trailers?[$0] } == "done")
            #expect(try await who.response().body == "127.0.0.1 false false true")
            #expect(server.metric("web_connections_total{version=\"2\"}") == 1)
            client.close()
        }
    }

    @Test("a slow request does not hold up another one")
    func multiplexed() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let slow = try await client.request(.get, "/wait", authority: server.host)
            let quick = try await client.request(.get, "/quick", authority: server.host)
            #expect(try await quick.response().body == "/quick")
            #expect(slow.received.parts.isEmpty)
            server.answers.proceeds.raise()
            #expect(try await slow.response().body == "waited")
            client.close()
        }
    }

    @Test("a request for another host is refused, and a failure is answered")
    func refused() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let other = try await client.request(.get, "/", authority: "evil.example")
            #expect(try await other.response().status == 421)
            let failure = try await client.request(.get, "/refuse", authority: server.host)
            let answer = try await failure.response()
            #expect(answer.status == 409)
            #expect(answer.body == "already there\n")
            #expect(server.metric("web_refusals_total{reason=\"host\"}") == 1)
            client.close()
        }
    }

    @Test("a response before the body ends the stream without an error")
    func early() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let stream = try await client.open()
            stream.send(.head(server.post("/early")))
            stream.send(.body(ByteBuffer(string: "start")))
            #expect(try await stream.response().status == 403)
            try await stream.received.closed()
            let next = try await client.request(.get, "/next", authority: server.host)
            #expect(try await next.response().body == "/next")
            client.close()
        }
    }

    @Test("a reset stream cancels its task, and the connection goes on")
    func reset() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let stream = try await client.request(.get, "/wait", authority: server.host)
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            stream.channel.close(promise: nil)
            #expect(try await eventually { server.answers.cancelled.isRaised })
            let next = try await client.request(.get, "/next", authority: server.host)
            #expect(try await next.response().body == "/next")
            client.close()
        }
    }

    @Test("a client that resets streams again and again is closed")
    func rapidReset() async throws {
        try await WebServer.run {
            $0.limits.resetsMax = 20
        } body: { server in
            let client = try await HTTP2Client.connect(server)
            for _ in 0..<40 where client.channel.isActive {
                // `try?`: the connection may end at any of them.
                let stream = try? await client.request(.get, "/wait", authority: server.host)
                stream?.channel.close(promise: nil)
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(try await eventually { !client.channel.isActive })
            #expect(server.metric("web_refusals_total{reason=\"malformed\"}") >= 1)
            #expect(try await eventually { server.metric("web_requests_in_flight") == 0 })
        }
    }

    @Test("a client that pings again and again is closed")
    func pings() async throws {
        try await WebServer.run {
            $0.limits.controlFramesMax = 20
        } body: { server in
            let client = try await RawClient.connect(server)
            let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
            let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 8)
            client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings)
            client.send(Array((0..<50).map { _ in ping }.joined()))
            try await client.closed()
        }
    }

    @Test("a header in endless CONTINUATION frames ends the connection")
    func continuations() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
            // HEADERS of stream 1 without END_HEADERS, then CONTINUATION frames without it.
            let headers: [UInt8] = [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82]
            let more: [UInt8] = [0, 0, 1, 9, 0, 0, 0, 0, 1, 0x84]
            client.send(
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings + headers
                    + Array((0..<20).map { _ in more }.joined()))
            try await client.closed()
            #expect(server.answers.begun.withLock { $0 } == 0)
        }
    }

    @Test("empty DATA frames without an end close the connection")
    func emptyData() async throws {
        try await WebServer.run {
            $0.limits.controlFramesMax = 20
        } body: { server in
            let client = try await HTTP2Client.connect(server)
            let stream = try await client.open()
            stream.send(.head(server.post("/echo")))
            for _ in 0..<40 { stream.send(.body(ByteBuffer())) }
            #expect(try await eventually { !client.channel.isActive })
        }
    }

    @Test("a client that makes the server reset streams is closed (CVE-2025-8671)")
    func causedResets() async throws {
        try await WebServer.run {
            $0.limits.resetsMax = 20
        } body: { server in
            let client = try await RawClient.connect(server)
            let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
            let fields: [UInt8] = [0x83, 0x86, 0x84, 0x41, 1, 0x61]  // POST, http, /, authority a
            client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings)
            for stream in stride(from: UInt8(1), through: 99, by: 2) {
                let headers: [UInt8] = [0, 0, 6, 1, 4, 0, 0, 0, stream] + fields
                // WINDOW_UPDATE by nothing, an error of the stream.
                client.send(headers + [0, 0, 4, 8, 0, 0, 0, 0, stream, 0, 0, 0, 0])
            }
            try await client.closed()
            #expect(server.metric("web_refusals_total{reason=\"malformed\"}") >= 1)
        }
    }

    @Test("fields beyond the limit end the connection")
    func largeFields() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let large = String(repeating: "a", count: 6_000)
            _ = try await client.request(
                .get, "/large", authority: server.host,
                [.userAgent: large, .accept: large, .cookie: large])
            try await client.frames.closed()
            #expect(server.answers.begun.withLock { $0 } == 0)
        }
    }

    @Test("trailers beyond the limit end the connection, though they are dropped")
    func largeTrailers() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let stream = try await client.open()
            stream.send(.head(server.post("/echo")))
            let large = String(repeating: "a", count: 6_000)
            stream.send(.end([.userAgent: large, .accept: large, .cookie: large]))
            try await client.frames.closed()
            let other = try await HTTP2Client.connect(server)
            let small = try await other.open()
            small.send(.head(server.post("/echo")))
            small.send(.body(ByteBuffer(string: "hello")))
            small.send(.end([.userAgent: "a"]))
            #expect(try await small.response().body == "hello")
            other.close()
        }
    }

    @Test("a client that does not answer a ping is closed, one that does is not")
    func keepalive() async throws {
        try await WebServer.run {
            $0.limits.keepaliveInterval = .milliseconds(50)
            $0.limits.keepaliveTimeout = .milliseconds(100)
        } body: { server in
            let alive = try await HTTP2Client.connect(server)
            let silent = try await RawClient.connect(server)
            silent.send(
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
            try await silent.closed()
            let request = try await alive.request(.get, "/alive", authority: server.host)
            #expect(try await request.response().body == "/alive")
            alive.close()
        }
    }

    @Test("ALPN chooses the version, and a client without it gets HTTP/1.1")
    func alpn() async throws {
        let (authority, tls) = try WebServer.certificate()
        try await WebServer.run(tls: tls) { server in
            let two = try await HTTP2Client.connect(
                server, tls: RawClient.TLS(authority, ["h2", "http/1.1"]))
            let who = try await two.request(.get, "/who", authority: server.host)
            #expect(try await who.response().body == "127.0.0.1 false true true")
            two.close()
            for protocols in [["http/1.1"], []] {
                let one = try await RawClient.connect(
                    server, tls: RawClient.TLS(authority, protocols))
                one.send(server.request("GET", "/who", "connection: close\r\n"))
                #expect(
                    try await one.closed().hasSuffix("\r\n\r\n127.0.0.1 false true false"))
            }
        }
    }

    @Test("over our own TLS a host on port 443 has a policy of strict transport security")
    func strictTransport() async throws {
        func response(_ host: String, tls: RawClient.TLS?, _ server: WebServer) async throws
            -> String
        {
            let client = try await RawClient.connect(server, tls: tls)
            client.send("GET /a HTTP/1.1\r\nhost: \(host)\r\nconnection: close\r\n\r\n")
            return try await client.closed()
        }
        let (authority, certificate) = try WebServer.certificate()
        let origins = [
            "https://auth.example.com", "https://auth.example.com:7480", "https://localhost",
        ]
        let policy = "strict-transport-security: max-age=31536000\r\n"
        try await WebServer.run(tls: certificate) {
            $0.origins = origins
        } body: { server in
            let tls = try RawClient.TLS(authority, ["http/1.1"])
            let sent = try await response("auth.example.com", tls: tls, server)
            #expect(sent.hasPrefix("HTTP/1.1 200") && sent.contains(policy))
            for host in ["auth.example.com:7480", "localhost"] {
                let other = try await response(host, tls: tls, server)
                #expect(other.hasPrefix("HTTP/1.1 200") && !other.contains("strict-transport"))
            }
            let refused = try await response("evil.example.com", tls: tls, server)
            #expect(refused.hasPrefix("HTTP/1.1 421") && !refused.contains("strict-transport"))
        }
        try await WebServer.run {
            $0.origins = origins
        } body: { server in
            let plain = try await response("auth.example.com", tls: nil, server)
            #expect(plain.hasPrefix("HTTP/1.1 200") && !plain.contains("strict-transport"))
        }
    }

    @Test("a client that does not speak TLS is closed, and counted")
    func notTLS() async throws {
        let (_, tls) = try WebServer.certificate()
        try await WebServer.run(tls: tls) { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("GET", "/"))
            try await client.closed()
            #expect(server.metric("web_refusals_total{reason=\"tls\"}") >= 1)
        }
    }

    @Test("new connections use a reloaded certificate")
    func reload() async throws {
        let (_, old) = try WebServer.certificate()
        let (authority, new) = try WebServer.certificate()
        try await WebServer.run(tls: old) { server in
            let tls = try RawClient.TLS(authority, ["http/1.1"])
            let refused = try await RawClient.connect(server, tls: tls)
            refused.send(server.request("GET", "/"))
            #expect(try await refused.closed() == "")
            server.listener.use(new)
            let client = try await RawClient.connect(server, tls: tls)
            client.send(server.request("GET", "/new", "connection: close\r\n"))
            #expect(try await client.closed().hasSuffix("/new"))
        }
    }
}
