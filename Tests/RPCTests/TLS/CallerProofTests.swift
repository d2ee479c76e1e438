import Cryptography
import Messages
import NIOSSL
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("TLS: how a caller is identified", .timeLimit(.minutes(1)))
struct CallerProofTests {
    /// A setup with callers that are identified by certificate.
    private static func setup(_ callers: String) throws -> TLSLoopback.Setup {
        TLSLoopback.Setup(
            requestsCertificates: true, callers: try CallersList(text: callers))
    }

    @Test("X-03: a certificate's names identify a caller that has no key")
    func certificate() async throws {
        let callers = "gateway\nedge certificate=spiffe://example.org/edge client-address\n"
        try await TLSLoopback.run(Self.setup(callers)) { loopback in
            let dns = try loopback.authority.issue([.dns("gateway")])
            let uri = try loopback.authority.issue([.uri("spiffe://example.org/edge")])
            let both = try loopback.authority.issue(
                [.dns("gateway"), .uri("spiffe://example.org/edge")])
            for (name, certificate) in [
                ("gateway", dns), ("edge", uri), ("edge", both), ("gateway", both),
            ] {
                let caller = TLSLoopback.Caller(
                    application: name, key: nil, certificate: certificate)
                try await loopback.expect(nil, caller)
            }
            for (name, certificate) in [("gateway", uri), ("edge", dns), ("", both)] {
                let caller = TLSLoopback.Caller(
                    application: name, key: nil, certificate: certificate)
                try await loopback.expect(.unauthenticated, caller)
            }
        }
    }

    @Test(
        "X-03: a common name, a wildcard or a URI without a scheme identifies no caller",
        arguments: [
            [TestName.dns("other")], [.dns("*")], [.uri("gateway")], [.dns("gateway\0.x")],
            [.dns("gateway ")], [.address(127, 0, 0, 1)],
        ])
    func otherNames(names: [TestName]) async throws {
        try await TLSLoopback.run(Self.setup("gateway")) { loopback in
            let certificate = try loopback.authority.issue(names, commonName: "gateway")
            let caller = TLSLoopback.Caller(key: nil, certificate: certificate)
            try await loopback.expect(.unauthenticated, caller)
        }
    }

    @Test("X-03: a caller that is not on the list is rejected, whatever its certificate names")
    func notListed() async throws {
        try await TLSLoopback.run(Self.setup("# no caller yet\n")) { loopback in
            let certificate = try loopback.authority.issue([.dns("gateway")])
            let caller = TLSLoopback.Caller(key: nil, certificate: certificate)
            try await loopback.expect(.unauthenticated, caller)
        }
    }

    @Test("X-03: an empty proof is rejected where the server requested no certificate")
    func emptyProof() async throws {
        try await TLSLoopback.run { loopback in
            let certificate = try loopback.authority.issue([.dns("gateway")])
            for certificate in [nil, certificate] {
                let caller = TLSLoopback.Caller(key: nil, certificate: certificate)
                try await loopback.expect(.unauthenticated, caller)
            }
        }
    }

    @Test("X-03: an Ed25519 key proves its application, and another key does not")
    func ed25519() async throws {
        let key = try Self.signingKey(1)
        let setup = TLSLoopback.Setup(
            callers: CallersList(["gateway"], assertingClientAddress: []),
            keys: ["gateway.k1.pub": Hex.encode(key.verifyingKey.bytes)])
        try await TLSLoopback.run(setup) { loopback in
            try await loopback.expect(nil, .init(key: key))
            let wrong: [any ApplicationProver] = [
                try Self.signingKey(2), TestKey.right,
                // The public key must not work as a shared secret.
                KeyedHash(key: SecretBytes(copying: key.verifyingKey.bytes)),
            ]
            for key in wrong {
                try await loopback.expect(.unauthenticated, .init(key: key))
            }
        }
    }

    @Test(
        "X-03: a proof relayed by a man in the middle with a trusted certificate is rejected",
        arguments: [true, false])
    func relayed(isSigned: Bool) async throws {
        let signing = try Self.signingKey(1)
        let setup = TLSLoopback.Setup(
            callers: CallersList(["gateway"], assertingClientAddress: []),
            keys: [
                "gateway.k1.pub": Hex.encode(signing.verifyingKey.bytes),
                "gateway.k2.key": TestKey.text,
            ])
        try await TLSLoopback.run(setup) { loopback in
            let key: any ApplicationProver = isSigned ? signing : TestKey.right
            let keyID = isSigned ? "k1" : "k2"
            try await loopback.expect(nil, .init(key: key, keyID: keyID))
            let middle = try loopback.authority.issue([.dns("localhost")])
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(try .init(bytes: middle.der, format: .der))],
                privateKey: .privateKey(
                    try .init(bytes: Array(middle.keyPEM.utf8), format: .pem)))
            configuration.applicationProtocols = ["postern/1"]
            let relay = try await Relay(
                to: loopback.server.port, group: loopback.group,
                server: try NIOSSLContext(configuration: configuration),
                client: loopback.configuration())
            let caller = TLSLoopback.Caller(key: key, keyID: keyID, port: relay.port)
            try await loopback.expect(.unauthenticated, caller)
        }
    }

    @Test("X-03: a proof for no certificate or for another connection is rejected")
    func replayed() async throws {
        try await TLSLoopback.run { loopback in
            let relay = try await loopback.relay()
            let first = try RawPeer(port: relay.port)
            try first.greet()
            first.send(.hello(first.soundHello()))  // proved for 32 zero bytes
            #expect(try first.goAway() == .unauthenticated)
            let (second, third) = (try RawPeer(port: relay.port), try RawPeer(port: relay.port))
            try second.greet()
            try third.greet()
            var hello = second.soundHello()
            hello.proof = ApplicationProof.make(
                challenge: second.serverHello.challenge, hello, key: TestKey.right,
                leafHash: try loopback.leafHash())
            third.send(.hello(hello))
            #expect(try third.goAway() == .unauthenticated)
            second.send(.hello(hello))
            second.send(1, EchoService.onLoop)
            #expect(try second.response(1).status == 0)
        }
    }

    private static func signingKey(_ seed: UInt64) throws -> Ed25519SigningKey {
        try Ed25519SigningKey(
            seed: .generate(count: 32, randomness: SeededRandomness(seed: seed)))
    }
}
