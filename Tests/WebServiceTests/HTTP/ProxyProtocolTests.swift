import Addresses
import Synchronization
import TestSupport
import Testing
import WebService

@Suite("The web listener: PROXY protocol")
struct ProxyProtocolTests {
    private static let loopback = AddressNetwork("127.0.0.0/8").map { [$0] } ?? []
    private static let header = "PROXY TCP4 192.0.2.1 127.0.0.1 5000 7480\r\n"

    private func answer(_ server: WebServer, _ parts: [String]) async throws -> String {
        let client = try await RawClient.connect(server)
        for part in parts {
            client.send(part)
            try await Task.sleep(for: .milliseconds(10))
        }
        return try await client.closed()
    }

    private func who(_ server: WebServer) -> String {
        server.request("GET", "/who", "connection: close\r\n")
    }

    @Test("a trusted proxy names the client, whose fields do not count")
    func named() async throws {
        try await WebServer.run {
            $0.trustedProxies = Self.loopback
        } body: { server in
            let whole = try await answer(server, [Self.header + who(server)])
            #expect(whole.hasSuffix("\r\n\r\n192.0.2.1 false false false"))
            let parts = try await answer(
                server, ["P", "ROXY TCP4 192.0.2.1", " 127.0.0.1 5000 7480\r\n", who(server)])
            #expect(parts.hasSuffix("\r\n\r\n192.0.2.1 false false false"))
            let unknown = try await answer(server, ["PROXY UNKNOWN\r\n" + who(server)])
            #expect(unknown.hasSuffix("\r\n\r\n127.0.0.1 false false false"))
        }
    }

    @Test("a named client that is a trusted proxy itself may name the next one")
    func chain() async throws {
        let networks = Self.loopback + (AddressNetwork("192.0.2.0/24").map { [$0] } ?? [])
        try await WebServer.run {
            $0.trustedProxies = networks
        } body: { server in
            let text = try await answer(server, [Self.header + who(server)])
            #expect(text.hasSuffix("\r\n\r\n192.0.2.1 true false false"))
        }
    }

    @Test("without a header a trusted proxy is the peer, unless the header is required")
    func required() async throws {
        try await WebServer.run {
            $0.trustedProxies = Self.loopback
        } body: { server in
            let text = try await answer(server, [who(server)])
            #expect(text.hasSuffix("\r\n\r\n127.0.0.1 true false false"))
        }
        try await WebServer.run {
            $0.trustedProxies = Self.loopback
            $0.requiresProxyProtocol = true
        } body: { server in
            #expect(try await answer(server, [who(server)]) == "")
            #expect(server.metric("web_refusals_total{reason=\"proxy_header\"}") == 1)
            let text = try await answer(server, [Self.header + who(server)])
            #expect(text.hasSuffix("\r\n\r\n192.0.2.1 false false false"))
        }
    }

    @Test("a malformed header closes the connection without an answer")
    func malformed() async throws {
        try await WebServer.run {
            $0.trustedProxies = Self.loopback
        } body: { server in
            let text = try await answer(server, ["PROXY TCP4 a b 1 2\r\n" + who(server)])
            #expect(text == "")
        }
    }

    @Test("the header of anyone else is not read")
    func untrusted() async throws {
        try await WebServer.run { server in
            let text = try await answer(server, [Self.header + who(server)])
            #expect(text.hasPrefix("HTTP/1.1 501 ") || text.hasPrefix("HTTP/1.1 400 "))
            #expect(!text.contains("192.0.2.1"))
        }
    }

    @Test("the connections of a named client are limited, those of its proxy are not")
    func limit() async throws {
        try await WebServer.run {
            $0.trustedProxies = Self.loopback
            $0.limits.connectionsPerAddressMax = 1
        } body: { server in
            let first = try await RawClient.connect(server)
            // With a request, so that it does not end for the next one.
            first.send(Self.header + server.request("GET", "/wait"))
            #expect(try await eventually { server.answers.begun.withLock { $0 } == 1 })
            #expect(try await answer(server, [Self.header + who(server)]) == "")
            let reason = "connections_from_address"
            #expect(server.metric("web_refusals_total{reason=\"\(reason)\"}") == 1)
            let other = "PROXY TCP4 192.0.2.2 127.0.0.1 5000 7480\r\n"
            #expect(try await answer(server, [other + who(server)]).contains("192.0.2.2"))
            first.close()
            #expect(try await eventually { server.metric("web_connections") == 0 })
            #expect(try await answer(server, [Self.header + who(server)]).contains("192.0.2.1"))
        }
    }

    @Test("it comes before TLS")
    func tls() async throws {
        let (_, tls) = try WebServer.certificate()
        try await WebServer.run(tls: tls) {
            $0.trustedProxies = Self.loopback
            $0.requiresProxyProtocol = true
        } body: { server in
            // Not a TLS handshake: the header was taken out, and TLS refuses what follows.
            let text = try await answer(server, [Self.header + who(server)])
            #expect(!text.contains("HTTP"))
            #expect(server.metric("web_refusals_total{reason=\"tls\"}") >= 1)
            #expect(server.metric("web_refusals_total{reason=\"proxy_header\"}") == 0)
        }
    }
}
