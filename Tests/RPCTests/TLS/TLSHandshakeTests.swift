import Messages
import NIOSSL
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("TLS: which peers pass the handshake", .timeLimit(.minutes(1)))
struct TLSHandshakeTests {
    @Test(
        "a server certificate is valid for its DNS names; a wildcard may be the first label",
        arguments: [
            ([TestName.dns("a.example.org")], "A.example.org", true),
            ([.dns("*.example.org")], "a.example.org", true),
            ([.dns("*.example.org")], "example.org", false),
            ([.dns("*.example.org")], "a.b.example.org", false),
            ([.dns("*.org")], "example.org", false), ([.dns("*")], "localhost", false),
            ([.dns("a*.example.org")], "ab.example.org", false),
            ([.uri("spiffe://a.example.org")], "a.example.org", false),
            ([.address(127, 0, 0, 1)], "a.example.org", false),
        ])
    func serverNames(names: [TestName], name: String, isTaken: Bool) async throws {
        try await TLSLoopback.run(.init(serverNames: names)) { loopback in
            try await loopback.expect(isTaken ? nil : .unavailable, .init(serverName: name))
        }
    }

    @Test("X-03: calls pass over TLS, with the server's name or its address checked")
    func calls() async throws {
        try await TLSLoopback.run { loopback in
            for method in [EchoService.onLoop, EchoService.async] {
                try await loopback.expect(nil, .init(), method)
            }
            try await loopback.expect(nil, .init(serverName: nil))
        }
    }

    @Test("Protos/README.md, Connection 2: plaintext and TLS peers do not connect")
    func mixed() async throws {
        try await TLSLoopback.run { loopback in
            let plain = Loopback.client(port: loopback.server.port, group: loopback.group)
            #expect(await TLSLoopback.outcome(of: plain, timeout: .seconds(1)) != nil)
            plain.close()
            let echo = EchoService()
            let server = try await Loopback.server(echo, group: loopback.group)
            try await loopback.expect(.unavailable, .init(port: server.port))
            await server.drain()
        }
    }

    @Test("a server with an untrusted root, a wrong name or an expired certificate is rejected")
    func wrongServer() async throws {
        let other = try TestAuthority(now: TLSLoopback.time.now())
        try await TLSLoopback.run { loopback in
            try await loopback.expect(.unavailable, .init(roots: other))
            try await loopback.expect(.unavailable, .init(serverName: "elsewhere"))
        }
        let setups = [
            TLSLoopback.Setup(clock: .seconds(-5_400), serverUntil: .seconds(-3_600)),
            TLSLoopback.Setup(serverNames: [.dns("localhost")]),
            // A common name does not count as a name.
            TLSLoopback.Setup(serverNames: []),
        ]
        for setup in setups {
            try await TLSLoopback.run(setup) { loopback in
                // Without a server name the certificate must have the address.
                let name = setup.clock == .zero ? nil : "localhost"
                try await loopback.expect(.unavailable, .init(serverName: name))
            }
        }
    }

    @Test("a requested client certificate that is missing, untrusted or expired is rejected")
    func wrongClient() async throws {
        let other = try TestAuthority(now: TLSLoopback.time.now())
        try await TLSLoopback.run(.init(requestsCertificates: true)) { loopback in
            let names = [TestName.dns(TestKey.application)]
            try await loopback.expect(.unavailable)
            let strange = try other.issue(names)
            try await loopback.expect(.unavailable, .init(certificate: strange))
            let old = try loopback.authority.issue(
                names, from: .seconds(-7_200), until: .seconds(-3_600))
            try await loopback.expect(
                .unavailable, .init(certificate: old, clock: .seconds(-5_400)))
            let sound = try loopback.authority.issue(names)
            try await loopback.expect(nil, .init(certificate: sound))
        }
    }

    @Test("Protos/README.md, Connection 2: TLS 1.2 is the minimum, or 1.3 if so configured")
    func versions() async throws {
        for (floor, versions) in [
            (TLSFloor.v12, [(TLSVersion.tlsv11, false), (.tlsv12, true), (.tlsv13, true)]),
            (.v13, [(.tlsv12, false), (.tlsv13, true)]),
        ] {
            try await TLSLoopback.run(.init(floor: floor)) { loopback in
                for (version, isServed) in versions {
                    let relay = try await loopback.relay { $0.maximumTLSVersion = version }
                    #expect(Self.isGreeted(relay.port) == isServed, "\(version) at \(floor)")
                }
            }
        }
    }

    @Test(
        "Protos/README.md, Connection 2: without ALPN postern/1 the server sends no Hello",
        arguments: [([String](), false), (["h2"], false), (["h2", "postern/1"], true)])
    func protocolNames(names: [String], isServed: Bool) async throws {
        for version in [TLSVersion.tlsv12, .tlsv13] {
            try await TLSLoopback.run { loopback in
                let relay = try await loopback.relay {
                    $0.applicationProtocols = names
                    $0.maximumTLSVersion = version
                }
                #expect(Self.isGreeted(relay.port) == isServed)
                try await loopback.expect(nil)
            }
        }
    }

    @Test("our client disconnects from a TLS server without ALPN postern/1")
    func otherProtocol() async throws {
        try await TLSLoopback.run { loopback in
            let certificate = try loopback.authority.issue([.dns("localhost")])
            for names in [[], ["h2"]] {
                let context = try Self.context(certificate, protocols: names)
                let relay = try await Relay(
                    to: loopback.server.port, group: loopback.group, server: context,
                    client: loopback.configuration())
                try await loopback.expect(.unavailable, .init(port: relay.port))
            }
        }
    }

    @Test(
        "Protos/README.md, Frame: a GoAway reaches a TLS peer that has sent more meanwhile")
    func goAway() async throws {
        try await TLSLoopback.run { loopback in
            let relay = try await loopback.relay()
            let peer = try RawPeer(port: relay.port)
            try peer.greet()
            peer.send(bytes: [0, 0, 0, 0] + [UInt8](repeating: 7, count: 100_000))
            #expect(try peer.goAway() == .protocolError)
        }
    }

    @Test("Protos/README.md, Connection 4: a TLS peer is drained, and running calls end first")
    func drain() async throws {
        try await TLSLoopback.run { loopback in
            let relay = try await loopback.relay()
            let peer = try RawPeer(port: relay.port)
            try peer.greet()
            let hello = try Self.proved(peer, loopback)
            peer.send(.hello(hello))
            peer.send(1, EchoService.gated, "one")
            await loopback.echo.gate.entered(1)
            async let drained: Void = loopback.server.drain()
            guard case .goAway(let goAway) = try peer.receive() else {
                Issue.record("no GoAway")
                return
            }
            #expect(goAway.reason == .draining)
            loopback.echo.gate.open()
            #expect(try peer.response(1).status == 0)
            #expect(try peer.receive() == nil)
            peer.shutDown()
            await drained
        }
    }

    @Test("a listener beyond loopback does not start without TLS")
    func beyondLoopback() async throws {
        try await TLSLoopback.run { loopback in
            let certificate = try loopback.authority.issue([.dns("localhost")])
            let tls = try ServerTLS(
                ServerTLSFiles(
                    certificate: certificate.files(in: loopback.folder, "any"), roots: nil),
                now: TLSLoopback.time.now())
            await #expect(throws: RPCServer.ListenError.self) {
                _ = try await Self.listen(beyond: loopback, tls: nil)
            }
            try await Self.listen(beyond: loopback, tls: tls).drain()
        }
    }

    // MARK: Parts

    private static func listen(
        beyond loopback: TLSLoopback, tls: ServerTLS?
    ) async throws -> RPCServer {
        try await RPCServer.start(
            ServerSettings(service: "test.echo", host: "0.0.0.0", port: 0), services: [],
            applications: .empty, tls: tls, group: loopback.group, time: TLSLoopback.time,
            randomness: SeededRandomness(), logger: loopback.log.logger())
    }

    /// Whether a server's Hello arrives.
    private static func isGreeted(_ port: Int) -> Bool {
        (try? RawPeer(port: port).greet()) != nil
    }

    private static func context(
        _ certificate: TestCertificate, protocols: [String]
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try .init(bytes: certificate.der, format: .der))],
            privateKey: .privateKey(
                try .init(bytes: Array(certificate.keyPEM.utf8), format: .pem)))
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    /// A Hello with a proof for the server's certificate, which the raw peer itself cannot see.
    private static func proved(
        _ peer: RawPeer, _ loopback: TLSLoopback
    ) throws -> WireV1.Hello {
        var hello = peer.soundHello()
        hello.proof = ApplicationProof.make(
            challenge: peer.serverHello.challenge, hello, key: TestKey.right,
            leafHash: try loopback.leafHash())
        return hello
    }
}
