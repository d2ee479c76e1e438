import Addresses
import HTTPTypes
import NIOCore
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import WebService

@Suite("The web listener: limits")
struct ConnectionLimitTests {
    @Test("without TLS it listens on loopback, or where the operator trusts the network")
    func plaintext() async throws {
        await #expect(throws: RPCServer.ListenError.self) {
            try await WebServer.run {
                $0.host = "0.0.0.0"
            } body: { _ in
            }
        }
        try await WebServer.run {
            $0.host = "0.0.0.0"
            $0.isPlaintextTrusted = true
        } body: { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("GET", "/", "connection: close\r\n"))
            #expect(try await client.closed().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("when all connections have a request, one more is closed at once")
    func total() async throws {
        try await WebServer.run(loops: 1) {
            $0.limits.connectionsMax = 2
        } body: { server in
            var clients: [RawClient] = []
            for _ in 0..<2 {
                let client = try await RawClient.connect(server)
                client.send(server.request("GET", "/wait"))
                clients.append(client)
            }
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 2 })
            let third = try await RawClient.connect(server)
            #expect(try await third.closed() == "")
            #expect(server.metric("web_refusals_total{reason=\"connections_total\"}") == 1)
            for client in clients { client.close() }
            #expect(try await eventually { server.metric("web_connections") == 0 })
            let fourth = try await RawClient.connect(server)
            fourth.send(server.request("GET", "/in", "connection: close\r\n"))
            #expect(try await fourth.closed().hasSuffix("/in"))
        }
    }

    @Test("an idle connection is closed for a new one")
    func idleForNew() async throws {
        try await WebServer.run(loops: 1) {
            $0.limits.connectionsMax = 2
        } body: { server in
            var clients: [RawClient] = []
            for number in 0..<6 {
                let client = try await RawClient.connect(server)
                client.send(server.request("GET", "/\(number)"))
                try await client.text { $0.hasSuffix("/\(number)") }
                clients.append(client)
            }
            for client in clients.prefix(4) { try await client.closed() }
            #expect(server.metric("web_refusals_total{reason=\"connections_idle\"}") == 4)
            #expect(clients[4].channel.isActive && clients[5].channel.isActive)
        }
    }

    @Test("of the connections without a request, the oldest is closed")
    func unused() async throws {
        try await WebServer.run(loops: 1) {
            $0.limits.connectionsUnusedMax = 1
        } body: { server in
            let used = try await RawClient.connect(server)
            used.send(server.request("GET", "/in"))
            try await used.text { $0.hasSuffix("/in") }
            let first = try await RawClient.connect(server)
            #expect(try await eventually { server.metric("web_connections") == 2 })
            let second = try await RawClient.connect(server)
            try await first.closed()
            second.send(server.request("GET", "/second"))
            try await second.text { $0.hasSuffix("/second") }
            #expect(used.channel.isActive)
            #expect(server.metric("web_refusals_total{reason=\"connections_unused\"}") == 1)
        }
    }

    @Test("a connection without the whole header in time is closed")
    func slowHeader() async throws {
        try await WebServer.run {
            $0.limits.headerTimeout = .milliseconds(100)
        } body: { server in
            let silent = try await RawClient.connect(server)
            let slow = try await RawClient.connect(server)
            slow.send("GET / HTTP/1.1\r\nhost:")
            try await silent.closed()
            try await slow.closed()
            let second = try await RawClient.connect(server)
            second.send(server.request("GET", "/first"))
            try await second.text { $0.hasSuffix("/first") }
            second.send("G")
            try await second.closed()
            #expect(server.metric("web_refusals_total{reason=\"slow_header\"}") == 3)
        }
    }

    @Test("an idle connection is closed, and one with a running request is not")
    func idle() async throws {
        try await WebServer.run {
            $0.limits.idleTimeout = .milliseconds(100)
        } body: { server in
            let busy = try await RawClient.connect(server)
            busy.send(server.request("GET", "/wait"))
            let idle = try await RawClient.connect(server)
            idle.send(server.request("GET", "/done"))
            #expect(try await idle.closed().hasSuffix("/done"))
            let http2 = try await HTTP2Client.connect(server)
            try await http2.frames.closed()
            #expect(busy.channel.isActive)
            server.answers.proceeds.raise()
            #expect(try await busy.closed().hasSuffix("waited"))
        }
    }

    @Test("an old connection ends after its request")
    func age() async throws {
        try await WebServer.run {
            $0.limits.connectionAgeMax = .milliseconds(100)
        } body: { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("GET", "/wait"))
            try await Task.sleep(for: .milliseconds(200))
            server.answers.proceeds.raise()
            let text = try await client.closed()
            #expect(text.contains("connection: close\r\n"))
            #expect(text.hasSuffix("waited"))
        }
    }

    @Test("a header that is too large is answered with 431")
    func header() async throws {
        let vectors = [
            "a: " + String(repeating: "x", count: 17_000) + "\r\n",
            String(repeating: "a: " + String(repeating: "x", count: 900) + "\r\n", count: 20),
            String(repeating: "a: b\r\n", count: 110),
        ]
        try await WebServer.run { server in
            for vector in vectors {
                let client = try await RawClient.connect(server)
                client.send(server.request("GET", "/", vector))
                #expect(try await client.closed().hasPrefix("HTTP/1.1 431 "))
            }
            let target = try await RawClient.connect(server)
            target.send(server.request("GET", "/" + String(repeating: "x", count: 17_000)))
            #expect(try await target.closed().hasPrefix("HTTP/1.1 431 "))
        }
    }

    @Test("a body that does not arrive in time is answered with 408")
    func slowBody() async throws {
        try await WebServer.run {
            $0.limits.bodyTimeout = .milliseconds(100)
        } body: { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("POST", "/echo", "content-length: 5\r\n", "he"))
            #expect(try await client.closed().hasPrefix("HTTP/1.1 408 "))
            #expect(server.metric("web_refusals_total{reason=\"slow_body\"}") == 1)
        }
    }

    @Test("more requests than the limit are answered with 503")
    func overload() async throws {
        // Each of the two event loops has half of it.
        try await WebServer.run {
            $0.limits.requestsMax = 2
        } body: { server in
            let client = try await HTTP2Client.connect(server)
            let first = try await client.request(.get, "/wait", authority: server.host)
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            let second = try await client.request(.get, "/second", authority: server.host)
            #expect(try await second.response().status == 503)
            server.answers.proceeds.raise()
            #expect(try await first.response().body == "waited")
            let third = try await client.request(.get, "/third", authority: server.host)
            #expect(try await third.response().status == 200)
            client.close()
        }
    }

    @Test("one client cannot use up the requests of all")
    func requestsPerAddress() async throws {
        try await WebServer.run {
            $0.trustedProxies = AddressNetwork("127.0.0.0/8").map { [$0] } ?? []
            // Each of the two event loops has half of it.
            $0.limits.requestsPerAddressMax = 2
        } body: { server in
            func request(_ path: String, from address: String) -> String {
                "PROXY TCP4 \(address) 127.0.0.1 5000 7480\r\n"
                    + server.request("GET", path, "connection: close\r\n")
            }
            for _ in 0..<4 {
                let client = try await RawClient.connect(server)
                client.send(request("/wait", from: "192.0.2.1"))
            }
            #expect(
                try await eventually {
                    server.metric("web_refusals_total{reason=\"overload\"}") >= 2
                })
            let other = try await RawClient.connect(server)
            other.send(request("/other", from: "192.0.2.2"))
            #expect(try await other.closed().hasSuffix("/other"))
            server.answers.proceeds.raise()
            #expect(try await eventually { server.metric("web_connections") == 0 })
            let again = try await RawClient.connect(server)
            again.send(request("/again", from: "192.0.2.1"))
            #expect(try await again.closed().hasSuffix("/again"))
        }
    }

    @Test("an HTTP/2 connection whose streams were all reset is idle")
    func resetIsIdle() async throws {
        try await WebServer.run {
            $0.limits.idleTimeout = .milliseconds(200)
        } body: { server in
            let client = try await HTTP2Client.connect(server)
            let stream = try await client.request(.get, "/wait", authority: server.host)
            stream.channel.close(promise: nil)
            try await client.frames.closed()
        }
    }

    @Test("an HTTP/2 connection with a part of a request's fields is idle")
    func halfHeaderIsIdle() async throws {
        try await WebServer.run {
            $0.limits.idleTimeout = .milliseconds(100)
        } body: { server in
            let client = try await RawClient.connect(server)
            // HEADERS without END_HEADERS.
            let headers: [UInt8] = [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82]
            client.send(
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
                    + headers)
            try await client.closed()
        }
    }

    @Test("a client that leaves cancels its request")
    func cancelled() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("GET", "/wait"))
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            client.close()
            #expect(try await eventually { server.answers.cancelled.isRaised })
            #expect(
                try await eventually {
                    server.metric("web_requests_total{status=\"cancelled\"}") == 1
                })
        }
    }
}
