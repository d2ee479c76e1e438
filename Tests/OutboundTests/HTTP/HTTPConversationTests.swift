import Cryptography
import HTTPSink
import Outbound
import SMTPSink
import ServiceRuntime
import TestSupport
import Testing

@Suite("HTTP requests")
struct HTTPConversationTests {
    @Test(
        "N-02: a POST is sent whole with its headers, and the whole answer is returned"
    )
    func post() async throws {
        let sink = try await HTTPSink { _ in
            .answer(429, [("Retry-After", "7"), ("X-Two", " spaced ")], body: "slow down")
        }
        let secret = SecretBytes(copying: "canary-secret".utf8)
        let header = try #require(HTTPHeader("authorization", lead: "Bearer ", secret: secret))
        let response = try await answer(
            .post(Array("a=b".utf8)), sink.url("/send?x=1"), headers: [.form, header])
        #expect(response.status == 429 && !response.isSuccess)
        #expect(response.fields["RETRY-AFTER"] == "7" && response.fields["x-two"] == "spaced")
        #expect(String(decoding: response.body, as: UTF8.self) == "slow down")
        let request = try #require(sink.requests.first)
        #expect(request.method == "POST" && request.path == "/send?x=1" && request.text == "a=b")
        #expect(request.headers["authorization"] == "Bearer canary-secret")
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        await sink.close()
    }

    @Test("a server that stalls or sends byte by byte is disconnected at the deadline")
    func slow() async throws {
        for script in [HTTPSink.Answer.stall, .drip] {
            let sink = try await HTTPSink { _ in script }
            let outcome = await fetch(.get, sink.url("/"), timeout: .milliseconds(300))
            #expect(failure(outcome) == .timedOut)
            await sink.close()
        }
    }

    @Test("a reset is a failure, and the next request gets a new connection")
    func reset() async throws {
        let sink = try await HTTPSink { $0.path == "/reset" ? .reset : .answer(200) }
        let client = try OutboundClient(limits: .init(transfersMax: 4, connectionsMax: 4))
        let broken = await fetch(.get, sink.url("/reset"), client: client)
        #expect(failure(broken) == .interrupted)
        let sound = await fetch(.get, sink.url("/"), client: client)
        #expect(status(sound) == 200)
        await client.close()
        await sink.close()
    }

    @Test("an answer's body is limited exactly to the byte, and its head is limited too")
    func sizes() async throws {
        let sink = try await HTTPSink { request in
            switch request.path {
            case "/fits": .answer(200, body: String(repeating: "x", count: 1_000))
            case "/more": .answer(200, body: String(repeating: "x", count: 1_001))
            case "/huge": .answer(200, body: String(repeating: "x", count: 5_000_000))
            default:
                .answer(200, (0..<5_000).map { ("x-\($0)", String(repeating: "y", count: 50)) })
            }
        }
        #expect(status(await fetch(.get, sink.url("/fits"))) == 200)
        for path in ["/more", "/huge", "/head"] {
            #expect(failure(await fetch(.get, sink.url(path))) == .tooLarge, "\(path)")
        }
        await sink.close()
    }

    @Test("redirects are returned by default, and followed up to the given number")
    func redirects() async throws {
        let sink = try await HTTPSink { request in
            switch request.path {
            case "/twice": .answer(302, [("Location", "/once")], body: "away")
            case "/once": .answer(307, [("Location", "/there"), ("X-Old", "1")])
            case "/there": .answer(200, body: "here")
            default: .answer(302, [("Location", "/loop")])
            }
        }
        let shown = await fetch(.get, sink.url("/twice"))
        #expect(status(shown) == 302)
        #expect(sink.requests.count == 1)
        let followed = try await answer(.get, sink.url("/twice"), redirectsMax: 2)
        #expect(followed.status == 200 && followed.body == Array("here".utf8))
        #expect(followed.fields["x-old"] == nil)
        #expect(failure(await fetch(.get, sink.url("/twice"), redirectsMax: 1)) == .redirected)
        #expect(failure(await fetch(.get, sink.url("/loop"), redirectsMax: 5)) == .redirected)
        await sink.close()
    }

    @Test("a redirect of a request with a body or a secret header is not followed")
    func redirectedSecret() async throws {
        let sink = try await HTTPSink { _ in .answer(302, [("Location", "/elsewhere")]) }
        let posted = await fetch(.post([1]), sink.url("/"), redirectsMax: 5)
        #expect(status(posted) == 302)
        let secret = try #require(
            HTTPHeader("x-key", lead: "", secret: SecretBytes(copying: "s".utf8)))
        let redirected = await fetch(.get, sink.url("/"), headers: [secret], redirectsMax: 5)
        #expect(status(redirected) == 302)
        #expect(sink.requests.map(\.path) == ["/", "/"])
        await sink.close()
    }

    @Test("a peer that does not speak HTTP may have received the request")
    func anotherProtocol() async throws {
        let sink = try SMTPSink()
        let outcome = await fetch(.post([1]), "http://127.0.0.1:\(sink.port)/")
        #expect(failure(outcome) == .interrupted)
        sink.close()
    }

    @Test("a redirect to another scheme is not followed")
    func redirectedScheme() async throws {
        for place in ["file:///etc/passwd", "gopher://127.0.0.1:1/", "smtp://127.0.0.1:25/"] {
            let sink = try await HTTPSink { _ in .answer(302, [("Location", place)]) }
            let outcome = await fetch(.get, sink.url("/"), redirectsMax: 5)
            #expect(failure(outcome) == .redirected, "\(place)")
            await sink.close()
        }
    }

    @Test(
        "SECURITY.md, Tokens: a private address in any spelling is rejected before connecting",
        arguments: [
            "127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]",
        ])
    func privateAddress(_ host: String) async throws {
        let sink = try await HTTPSink { _ in .answer(200) }
        let outcome = await fetch(
            .get, "http://\(host):\(sink.port)/", addresses: .publicOnly)
        #expect(failure(outcome) == .addressForbidden)
        #expect(sink.connections == 0)
        await sink.close()
    }

    @Test("a pooled connection is not reused for a request whose policy forbids its peer")
    func privatePool() async throws {
        let sink = try await HTTPSink { _ in .answer(200) }
        let client = try OutboundClient(limits: .init(transfersMax: 4, connectionsMax: 4))
        #expect(status(await fetch(.get, sink.url("/"), client: client)) == 200)
        let outcome = await fetch(.get, sink.url("/"), client: client, addresses: .publicOnly)
        #expect(failure(outcome) == .addressForbidden)
        #expect(sink.requests.count == 1)
        await client.close()
        await sink.close()
    }

    @Test("sequential requests share a connection, even if their status is an error")
    func reuse() async throws {
        let sink = try await HTTPSink { _ in .answer(404) }
        let client = try OutboundClient(limits: .init(transfersMax: 4, connectionsMax: 4))
        for _ in 0..<5 {
            #expect(status(await fetch(.post([1, 2]), sink.url("/"), client: client)) == 404)
        }
        #expect(sink.connections == 1)
        await client.close()
        await sink.close()
    }
}

// MARK: one request

/// Makes one request with `client`, or with a client of its own.
func fetch(
    _ method: HTTPRequest.Method, _ url: String, headers: [HTTPHeader] = [],
    client: OutboundClient? = nil, addresses: AddressPolicy = .any, trustFile: String? = nil,
    timeout: Duration = .seconds(10), redirectsMax: Int = 0
) async -> HTTPOutcome {
    guard let url = HTTPURL(url, allowsPlain: true) else { return .failed(.invalid) }
    let terms = HTTPTerms(
        addresses: addresses, trustFile: trustFile, timeout: timeout, bodyBytesMax: 1_000,
        redirectsMax: redirectsMax)
    let request = HTTPRequest(method, url, headers: headers)
    if let client { return await client.fetch(request, terms) }
    guard let own = try? OutboundClient(limits: .init(transfersMax: 4, connectionsMax: 4)) else {
        return .failed(.invalid)
    }
    let outcome = await own.fetch(request, terms)
    await own.close()
    return outcome
}

private func answer(
    _ method: HTTPRequest.Method, _ url: String, headers: [HTTPHeader] = [], redirectsMax: Int = 0
) async throws -> HTTPResponse {
    let outcome = await fetch(method, url, headers: headers, redirectsMax: redirectsMax)
    guard case .answered(let response) = outcome else { throw NoAnswer(outcome: "\(outcome)") }
    return response
}

/// A request got no answer though it should have.
struct NoAnswer: Error {
    let outcome: String
}

/// The answer's status, or nil if there was none.
func status(_ outcome: HTTPOutcome) -> Int? {
    if case .answered(let response) = outcome { response.status } else { nil }
}

/// Why there was no answer, or nil if there was one.
func failure(_ outcome: HTTPOutcome) -> TransferFailure? {
    if case .failed(let failure) = outcome { failure } else { nil }
}
