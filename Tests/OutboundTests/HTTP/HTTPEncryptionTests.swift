import HTTPSink
import Outbound
import ServiceRuntime
import TestSupport
import Testing

@Suite("Requests over TLS and HTTP/2")
struct HTTPEncryptionTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority
    private let trustFile: String

    init() throws {
        folder = try TemporaryFolder()
        authority = try TestAuthority(now: SystemTime().now())
        trustFile = try folder.write(authority.pem, to: "trust.pem")
    }

    @Test("forty concurrent requests are streams of one HTTP/2 connection")
    func multiplexed() async throws {
        let sink = try await HTTPSink(tls: try tls([.address(127, 0, 0, 1)])) { request in
            .answer(200, body: request.path)
        }
        let client = try OutboundClient(limits: .init(transfersMax: 100, connectionsMax: 8))
        let answers = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<40 {
                group.addTask {
                    status(
                        await fetch(
                            .post([1]), sink.secureURL("/\(number)"), client: client,
                            trustFile: trustFile))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: 200, count: 40))
        #expect(Set(sink.requests.map(\.path)).count == 40)
        #expect(sink.requests.allSatisfy { $0.version == 2 })
        #expect(sink.connections == 1)
        await client.close()
        await sink.close()
    }

    @Test("a stream that times out does not affect other streams of its connection")
    func neighbours() async throws {
        let sink = try await HTTPSink(tls: try tls([.address(127, 0, 0, 1)])) { request in
            request.path == "/stall" ? .stall : .answer(200)
        }
        let client = try OutboundClient(limits: .init(transfersMax: 100, connectionsMax: 8))
        #expect(status(await get("/", sink, client)) == 200)
        async let stalled = fetch(
            .get, sink.secureURL("/stall"), client: client, trustFile: trustFile,
            timeout: .milliseconds(300))
        #expect(status(await get("/", sink, client)) == 200)
        #expect(failure(await stalled) == .timedOut)
        #expect(status(await get("/", sink, client)) == 200)
        #expect(sink.connections == 1)
        await client.close()
        await sink.close()
    }

    @Test("a server without HTTP/2 gets HTTP/1.1")
    func fallback() async throws {
        let files = try tls([.address(127, 0, 0, 1)], protocols: ["http/1.1"])
        let sink = try await HTTPSink(tls: files) { _ in .answer(200) }
        #expect(status(await get("/", sink)) == 200)
        #expect(sink.requests.map(\.version) == [1])
        await sink.close()
    }

    @Test("under a wrong name, an unknown issuer or an expired certificate no request is sent")
    func wrongCertificate() async throws {
        let other = try tls([.dns("other.example")])
        let old = try tls([.address(127, 0, 0, 1)], until: .seconds(-60))
        for files in [other, old] {
            let sink = try await HTTPSink(tls: files) { _ in .answer(200) }
            #expect(failure(await get("/", sink)) == .notEncrypted)
            #expect(sink.requests.isEmpty)
            await sink.close()
        }
        let sink = try await HTTPSink(tls: try tls([.address(127, 0, 0, 1)])) { _ in .answer(200) }
        let outcome = await fetch(.get, sink.secureURL("/"), trustFile: nil)
        #expect(failure(outcome) == .notEncrypted)
        #expect(sink.requests.isEmpty)
        await sink.close()
    }

    @Test("a redirect from https to http is not followed")
    func downgrade() async throws {
        let plain = try await HTTPSink { _ in .answer(200) }
        let place = plain.url("/")
        let sink = try await HTTPSink(tls: try tls([.address(127, 0, 0, 1)])) { _ in
            .answer(302, [("Location", place)])
        }
        let outcome = await fetch(
            .get, sink.secureURL("/"), trustFile: trustFile, redirectsMax: 3)
        #expect(failure(outcome) == .redirected)
        #expect(plain.connections == 0)
        await sink.close()
        await plain.close()
    }

    private func get(
        _ path: String, _ sink: HTTPSink, _ client: OutboundClient? = nil
    ) async -> HTTPOutcome {
        await fetch(.get, sink.secureURL(path), client: client, trustFile: trustFile)
    }

    private func tls(
        _ names: [TestName], until: Duration = .seconds(3_600),
        protocols: [String] = ["h2", "http/1.1"]
    ) throws -> HTTPSink.TLS {
        let files = try authority.issue(names, from: .seconds(-7_200), until: until)
            .write(to: folder, as: "server")
        return HTTPSink.TLS(chain: files.chain, key: files.key, protocols: protocols)
    }
}
