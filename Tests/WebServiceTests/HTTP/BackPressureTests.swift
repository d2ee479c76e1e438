import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization
import TestSupport
import Testing
import WebService

@Suite("The web listener: back-pressure and drain")
struct BackPressureTests {
    private static let uploadBytes = 32 * 1024 * 1024

    @Test("HTTP/1.1 reads no more of a body than is taken")
    func upload() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server)
            client.send(
                server.request(
                    "POST", "/late", "content-length: \(Self.uploadBytes)\r\nconnection: close\r\n")
            )
            let part = [UInt8](repeating: 0x61, count: 1024 * 1024)
            for _ in 0..<32 { client.send(part) }
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            try await Task.sleep(for: .milliseconds(200))
            #expect(server.metric("web_received_bytes_total") < 1024 * 1024)
            server.answers.proceeds.raise()
            #expect(try await client.closed().hasSuffix("took all"))
            #expect(server.answers.taken.withLock { $0 } == Self.uploadBytes)
        }
    }

    @Test("HTTP/2 gives no more window than is taken")
    func upload2() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let stream = try await client.open()
            stream.send(.head(server.post("/late")))
            let part = ByteBuffer(repeating: 0x61, count: 16 * 1024)
            for _ in 0..<64 { stream.send(.body(part)) }
            stream.send(.end(nil))
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            try await Task.sleep(for: .milliseconds(200))
            #expect(server.metric("web_received_bytes_total") < 256 * 1024)
            // Another stream of the connection is not held up.
            let quick = try await client.request(.get, "/quick", authority: server.host)
            #expect(try await quick.response().body == "/quick")
            server.answers.proceeds.raise()
            #expect(try await stream.response().body == "took all")
            #expect(server.answers.taken.withLock { $0 } == 1024 * 1024)
            client.close()
        }
    }

    @Test("writing to an HTTP/1.1 client waits while it does not read")
    func download() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server, isReading: false)
            client.send(server.request("GET", "/flood"))
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            try await Task.sleep(for: .milliseconds(300))
            #expect(server.answers.written.withLock { $0 } < Answers.floodParts)
            client.close()
            #expect(try await eventually { server.answers.cancelled.isRaised })
            await server.listener.drain()
            // A client that leaves in the middle of a response is no failure of the server's.
            #expect(!server.log.lines.contains { $0.contains("web.request.failed") })
        }
    }

    @Test("pipelined requests wait while an HTTP/1.1 client does not read its responses")
    func pipelined() async throws {
        try await WebServer.run {
            $0.limits.pipelinedMax = 1_000
        } body: { server in
            let client = try await RawClient.connect(server, isReading: false)
            // 400 responses of 64 KiB: more than the sockets hold, and all answered at once.
            let requests = String(repeating: server.request("GET", "/large"), count: 399)
            client.send(requests + server.request("GET", "/large", "connection: close\r\n"))
            #expect(try await eventually { server.answers.begun.withLock { $0 } > 0 })
            try await Task.sleep(for: .milliseconds(300))
            #expect(server.answers.begun.withLock { $0 } < 400)
            try await client.channel.setOption(.autoRead, value: true).get()
            let text = try await client.closed()
            #expect(server.answers.begun.withLock { $0 } == 400)
            #expect(text.utf8.count > 400 * 64 * 1024)
        }
    }

    @Test("writing to an HTTP/2 stream waits for its window, and a reset cancels it")
    func download2() async throws {
        try await WebServer.run { server in
            let client = try await HTTP2Client.connect(server)
            let stream = try await client.request(
                .get, "/flood", authority: server.host, isReading: false)
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            try await Task.sleep(for: .milliseconds(200))
            #expect(server.answers.written.withLock { $0 } < 64)
            let quick = try await client.request(.get, "/quick", authority: server.host)
            #expect(try await quick.response().body == "/quick")
            stream.channel.close(promise: nil)
            #expect(try await eventually { server.answers.cancelled.isRaised })
            client.close()
        }
    }

    @Test("a client that takes nothing of a response is closed")
    func slowReader() async throws {
        try await WebServer.run {
            $0.limits.writeTimeout = .milliseconds(100)
        } body: { server in
            let client = try await RawClient.connect(server, isReading: false)
            client.send(server.request("GET", "/flood"))
            #expect(try await eventually { server.answers.cancelled.isRaised })
            #expect(server.metric("web_refusals_total{reason=\"slow_reader\"}") == 1)
            let http2 = try await HTTP2Client.connect(server)
            _ = try await http2.request(.get, "/flood", authority: server.host, isReading: false)
            #expect(
                try await eventually {
                    server.metric("web_refusals_total{reason=\"slow_reader\"}") == 2
                })
            #expect(http2.channel.isActive)
            http2.close()
        }
    }

    @Test("a client that opens the HTTP/2 window a byte at a time is closed, and counts until then")
    func trickle() async throws {
        try await WebServer.run {
            $0.limits.writeTimeout = .milliseconds(300)
        } body: { server in
            let client = try await RawClient.connect(server)
            // GET /huge of localhost, whose task ends at once: the client takes its first 64 KiB.
            let host = Array(server.host.utf8)
            let block =
                [0x82, 0x86, 0x41, UInt8(host.count)] + host + [0x04, 5] + Array("/huge".utf8)
            client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            // SETTINGS, and a window of a mebibyte for the connection.
            client.send([0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 16, 0, 0])
            client.send([0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block)
            #expect(try await eventually { server.metric("web_requests_in_flight") == 1 })
            let opening = Task {
                while !Task.isCancelled {
                    client.send([0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 0, 1])
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            #expect(
                try await eventually {
                    server.metric("web_refusals_total{reason=\"slow_reader\"}") == 1
                })
            opening.cancel()
            #expect(try await eventually { server.metric("web_requests_in_flight") == 0 })
            client.close()
        }
    }

    @Test("a response with a deadline ends at it, without a line in the log")
    func deadline() async throws {
        try await WebServer.run { server in
            let client = try await RawClient.connect(server, isReading: false)
            client.send(server.request("GET", "/deadline"))
            #expect(try await eventually { server.answers.cancelled.isRaised })
            #expect(server.metric("web_refusals_total{reason=\"slow_reader\"}") == 1)
            let http2 = try await HTTP2Client.connect(server)
            _ = try await http2.request(
                .get, "/deadline", authority: server.host, isReading: false)
            #expect(
                try await eventually {
                    server.metric("web_refusals_total{reason=\"slow_reader\"}") == 2
                })
            #expect(try await eventually { server.metric("web_requests_in_flight") == 0 })
            #expect(http2.channel.isActive)
            #expect(!server.log.lines.contains { $0.contains("web.request.failed") })
            http2.close()
        }
    }

    @Test("a drain lets running requests finish, and accepts no new connections")
    func drain() async throws {
        try await WebServer.run {
            $0.limits.drainTimeout = .seconds(5)
        } body: { server in
            let idle = try await RawClient.connect(server)
            idle.send(server.request("GET", "/done"))
            try await idle.text { $0.hasSuffix("/done") }
            let one = try await RawClient.connect(server)
            one.send(server.request("GET", "/wait"))
            let two = try await HTTP2Client.connect(server)
            let stream = try await two.request(.get, "/wait", authority: server.host)
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 3 })
            async let drained: Void = server.listener.drain()
            try await idle.closed()
            await #expect(throws: (any Error).self) {
                _ = try await RawClient.connect(server)
            }
            server.answers.proceeds.raise()
            let text = try await one.closed()
            #expect(text.contains("connection: close\r\n"))
            #expect(text.hasSuffix("waited"))
            #expect(try await stream.response().body == "waited")
            try await two.frames.closed()
            await drained
            #expect(server.metric("web_connections") == 0)
        }
    }

    @Test("a drain sends what an HTTP/1.1 client has not read of its last response")
    func drainAfterResponse() async throws {
        try await WebServer.run {
            $0.limits.drainTimeout = .seconds(5)
        } body: { server in
            let client = try await RawClient.connect(server, isReading: false)
            client.send(server.request("GET", "/huge"))
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            async let drained: Void = server.listener.drain()
            try await Task.sleep(for: .milliseconds(50))
            try await client.channel.setOption(.autoRead, value: true).get()
            #expect(try await client.closed().utf8.count > Answers.hugeBytes)
            await drained
        }
    }

    @Test("a drain sends an HTTP/2 client its last response, while it still sends")
    func drainWhileSending() async throws {
        try await WebServer.run {
            $0.limits.drainTimeout = .seconds(5)
            $0.limits.lingerTimeout = .seconds(5)
        } body: { server in
            let client = try await RawClient.connect(server, isReading: false)
            // Windows without a limit, then GET /huge of localhost.
            let settings: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF]
            let window: [UInt8] = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7F, 0, 0, 0]
            let host = Array(server.host.utf8)
            let block =
                [0x82, 0x86, 0x41, UInt8(host.count)] + host + [0x04, 5] + Array("/huge".utf8)
            let headers: [UInt8] = [0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block
            client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            client.send(settings + window + headers)
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            async let drained: Void = server.listener.drain()
            try await Task.sleep(for: .milliseconds(50))
            // The answer to the PING of the drain.
            client.send([0, 0, 8, 6, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0])
            for _ in 0..<10_000 where client.channel.isActive {
                client.channel.read()
                client.send([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1])
                try await Task.sleep(for: .microseconds(100))
            }
            // On a busy machine so many reads do not take all of it.
            try? await client.channel.setOption(.autoRead, value: true).get()
            #expect(try await client.closed().utf8.count > Answers.hugeBytes)
            await drained
        }
    }

    @Test("a drain ends after its timeout")
    func drainTimeout() async throws {
        try await WebServer.run {
            $0.limits.drainTimeout = .milliseconds(100)
        } body: { server in
            let client = try await RawClient.connect(server)
            client.send(server.request("GET", "/wait"))
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            await server.listener.drain()
            #expect(try await client.closed() == "")
            #expect(try await eventually { server.answers.cancelled.isRaised })
        }
    }
}
