import Addresses
import TestSupport
import Testing

@testable import WebService

@Suite("Few addresses do not hold all places (SECURITY.md, Costs)", .timeLimit(.minutes(1)))
struct DisplacedRequestTests {
    private static let attackers = (1...5).map { "192.0.2.\($0)" }
    private static let bystander = "203.0.113.1"

    /// A connection of a client that a trusted proxy names.
    private func client(
        _ server: WebServer, _ address: String, isReading: Bool = true
    ) async throws -> RawClient {
        let client = try await RawClient.connect(server, isReading: isReading)
        client.send("PROXY TCP4 \(address) 127.0.0.1 5000 7480\r\n")
        return client
    }

    private func run(
        _ change: (inout WebLimits) -> Void, body: (WebServer) async throws -> Void
    ) async throws {
        try await WebServer.run(loops: 1) {
            $0.trustedProxies = AddressNetwork("127.0.0.0/8").map { [$0] } ?? []
            change(&$0.limits)
        } body: {
            try await body($0)
        }
    }

    /// A good request on a new connection.
    private func expectServed(_ server: WebServer, _ path: String) async throws {
        let client = try await client(server, Self.bystander)
        client.send(server.request("GET", path, "connection: close\r\n"))
        let text = try await client.closed()
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix(path))
    }

    @Test("requests whose body does not come end for others; a client that has fewer keeps its own")
    func bodies() async throws {
        try await run {
            $0.requestsMax = 20
        } body: { server in
            func post(_ address: String) async throws -> RawClient {
                let client = try await client(server, address)
                client.send(server.request("POST", "/echo", "content-length: 5\r\n", "he"))
                return client
            }
            var slow: [RawClient] = []
            for address in Self.attackers {
                for _ in 0..<4 { slow.append(try await post(address)) }
            }
            #expect(try await eventually { server.metric("web_requests_in_flight") == 20 })
            let own = try await post(Self.bystander)
            for number in 0..<4 { try await expectServed(server, "/\(number)") }
            for address in Self.attackers {
                for _ in 0..<4 { slow.append(try await post(address)) }
            }
            #expect(
                try await eventually {
                    server.metric("web_refusals_total{reason=\"displaced\"}") >= 21
                })
            own.send("llo")
            #expect(try await own.text { $0.hasSuffix("hello") }.hasPrefix("HTTP/1.1 200 "))
            // The oldest of an attacker has an answer, since HTTP/1.1 allows that.
            #expect(try await slow[0].closed().hasPrefix("HTTP/1.1 503 "))
            #expect(server.metric("web_refusals_total{reason=\"overload\"}") == 0)
        }
    }

    @Test("responses for which HTTP/2 clients give no window end for others")
    func windows() async throws {
        try await run {
            $0.requestsMax = 20
        } body: { server in
            let host = Array(server.host.utf8)
            let block =
                [0x82, 0x86, 0x41, UInt8(host.count)] + host + [0x04, 6] + Array("/large".utf8)
            for address in Self.attackers + Self.attackers {
                let client = try await client(server, address)
                client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                // SETTINGS with an initial window of 0.
                client.send([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0])
                for stream in [1, 3, 5] as [UInt8] {
                    client.send([0, 0, UInt8(block.count), 1, 5, 0, 0, 0, stream] + block)
                }
            }
            #expect(
                try await eventually {
                    server.metric("web_refusals_total{reason=\"displaced\"}") == 10
                })
            for number in 0..<4 { try await expectServed(server, "/\(number)") }
            #expect(server.metric("web_refusals_total{reason=\"overload\"}") == 0)
        }
    }

    @Test("responses that HTTP/1.1 clients do not read end for others")
    func unread() async throws {
        try await run {
            $0.requestsMax = 10
        } body: { server in
            for address in Self.attackers + Self.attackers {
                let client = try await client(server, address, isReading: false)
                client.send(server.request("GET", "/huge"))
            }
            #expect(try await eventually { server.metric("web_requests_in_flight") == 10 })
            for number in 0..<4 { try await expectServed(server, "/\(number)") }
            #expect(server.metric("web_refusals_total{reason=\"displaced\"}") == 1)
        }
    }

    @Test("idle connections end for others, those of the address with most first")
    func connections() async throws {
        try await run {
            $0.connectionsMax = 20
        } body: { server in
            let own = try await client(server, Self.bystander)
            own.send(server.request("GET", "/own"))
            try await own.text { $0.hasSuffix("/own") }
            for address in Self.attackers {
                for _ in 0..<6 { _ = try await client(server, address) }
            }
            for number in 0..<4 { try await expectServed(server, "/\(number)") }
            own.send(server.request("GET", "/still"))
            try await own.text { $0.hasSuffix("/still") }
            #expect(server.metric("web_refusals_total{reason=\"connections_total\"}") == 0)
        }
    }

    @Test("streams of apps end for a client that has fewer")
    func streams() async throws {
        // Half of them may be streams of apps.
        try await run {
            $0.requestsMax = 40
        } body: { server in
            for address in Self.attackers {
                for _ in 0..<4 {
                    let client = try await client(server, address)
                    client.send(server.request("GET", "/watch"))
                }
            }
            #expect(try await eventually { server.metric("web_requests_in_flight") == 20 })
            for _ in 0..<2 {
                let client = try await client(server, Self.bystander)
                client.send(server.request("GET", "/watch"))
                try await client.text { $0.contains("watching") }
            }
            #expect(server.metric("web_refusals_total{reason=\"displaced\"}") == 2)
        }
    }

    @Test("the client that a proxy names in a field has its share of the requests")
    func forwarded() async throws {
        try await run {
            $0.requestsPerAddressMax = 2
        } body: { server in
            func waiting(for address: String) async throws -> RawClient {
                let client = try await RawClient.connect(server)
                client.send(server.request("GET", "/wait", "x-forwarded-for: \(address)\r\n"))
                return client
            }
            for _ in 0..<4 { _ = try await waiting(for: "192.0.2.1") }
            #expect(
                try await eventually {
                    server.metric("web_refusals_total{reason=\"overload\"}") == 2
                })
            _ = try await waiting(for: "192.0.2.2")
            #expect(try await eventually { server.metric("web_requests_in_flight") == 3 })
        }
    }
}
