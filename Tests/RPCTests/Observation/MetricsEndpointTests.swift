import NIOCore
import NIOPosix
import RPC
import Testing

@Suite("The metrics port under hostile clients", .timeLimit(.minutes(1)))
struct MetricsEndpointTests {
    /// Runs `body` with an endpoint that closes connections after `timeout`.
    private func serve(
        timeout: Duration, isReady: Bool = true, isMakingProgress: Bool = true,
        _ body: @Sendable (Int) throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let port = try await MetricsEndpoint.start(
                host: "127.0.0.1", port: 0,
                MetricsEndpoint.Source(
                    metrics: { "figures 1\n" }, readiness: { (isReady, "words\n") },
                    isMakingProgress: { isMakingProgress }),
                group: group, timeout: timeout)
            try await TestThreads.run { try body(port) }
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func status(of path: String, at port: Int) throws -> String {
        let peer = try MetricsClient(port: port)
        peer.send(bytes: Array("GET \(path) HTTP/1.1\r\nhost: x\r\n\r\n".utf8))
        return String(String(decoding: try peer.rest(), as: UTF8.self).dropFirst(9).prefix(3))
    }

    @Test("B3: readiness and liveness are separate probes, and neither changes the other's answer")
    func probes() async throws {
        try await serve(timeout: .seconds(5), isReady: false) { port in
            let statuses = try ["/readyz", "/health", "/livez"].map { try status(of: $0, at: port) }
            #expect(statuses == ["503", "503", "200"])
        }
        try await serve(timeout: .seconds(5), isMakingProgress: false) { port in
            let statuses = try ["/readyz", "/livez"].map { try status(of: $0, at: port) }
            #expect(statuses == ["200", "503"])
        }
    }

    @Test("it serves its own pages and 404 for any other")
    func pages() async throws {
        try await serve(timeout: .seconds(5)) { port in
            for (path, status) in [
                ("/metrics", 200), ("/health", 200), ("/readyz", 200), ("/", 404),
            ] {
                let peer = try MetricsClient(port: port)
                peer.send(bytes: Array("GET \(path) HTTP/1.1\r\nhost: x\r\n\r\n".utf8))
                let answer = String(decoding: try peer.rest(), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(answer)")
                #expect(answer.contains("figures 1") == (path == "/metrics"))
            }
        }
    }

    @Test(
        "a client that sends nothing, or half a request, is disconnected at the timeout",
        arguments: ["", "GET /metrics HTTP/1.1\r\nhost:"])
    func silent(words: String) async throws {
        try await serve(timeout: .milliseconds(100)) { port in
            let peer = try MetricsClient(port: port)
            peer.send(bytes: Array(words.utf8))
            #expect(try peer.rest().isEmpty)
        }
    }

    @Test("a request over 8 KiB is disconnected at once, whatever the timeout")
    func long() async throws {
        try await serve(timeout: .seconds(60)) { port in
            let peer = try MetricsClient(port: port)
            peer.send(bytes: Array("GET /metrics HTTP/1.1\r\n".utf8))
            let header = Array("x: \(String(repeating: "y", count: 1_000))\r\n".utf8)
            for _ in 0..<200 { guard peer.send(bytes: header) else { break } }
            #expect(try peer.rest().isEmpty)
        }
    }

    @Test("32 connections may be open, and when one closes the next is served")
    func crowd() async throws {
        try await serve(timeout: .seconds(60)) { port in
            var guests = try (0..<MetricsEndpoint.connectionsMax).map { _ in
                try MetricsClient(port: port)
            }
            let request = Array("GET /health HTTP/1.1\r\nhost: x\r\n\r\n".utf8)
            let tooMany = try MetricsClient(port: port)
            tooMany.send(bytes: request)
            #expect(try tooMany.rest().isEmpty)
            guests.removeLast()
            // The close of the last one may still be on its way.
            let isServed = try (0..<100).contains { _ in
                let next = try MetricsClient(port: port)
                next.send(bytes: request)
                return try !next.rest().isEmpty
            }
            #expect(isServed)
        }
    }
}
