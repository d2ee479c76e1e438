import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("Calls with application tokens", .timeLimit(.minutes(1)))
struct ApplicationTokenCallTests {
    private static let audience = "https://auth.example.org"
    private static let callers = """
        web client-address application-tokens test.v1.Echo/Async
        front client-address
        billing test.v1.Echo/Caller test.v1.Echo/WatchGated test.v1.Echo/Repeatable
        shop client-address test.v1.Echo/Caller
        legacy test.v1.Echo/Caller
        tool test.v1.Echo/Caller

        """

    private static func key(_ byte: UInt8) throws -> Ed25519SigningKey {
        try Ed25519SigningKey(seed: SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
    }

    /// Runs `body` with a server that these callers may call, and the web service's client.
    private static func run(
        _ body: @Sendable (TLSLoopback, RPCClient) async throws -> Void
    ) async throws {
        func text(_ byte: UInt8) throws -> String {
            String(decoding: try key(byte).verifyingKey.pem, as: UTF8.self)
        }
        let setup = TLSLoopback.Setup(
            callers: try CallersList(text: callers),
            keys: [
                "web.k1.key": TestKey.text, "front.k1.key": TestKey.text,
                "billing.k1.pub": try text(1), "billing.k2.pub": try text(2),
                "shop.k1.pub": try text(3), "legacy.k1.key": TestKey.text,
                "tool.k1.pub": try text(4),
            ], tokenAudiences: [audience])
        try await TLSLoopback.run(setup) { loopback in
            let client = try loopback.client(.init(application: "web"))
            try await body(loopback, client)
            client.close()
        }
    }

    private static func token(
        _ application: String = "billing", _ byte: UInt8 = 1, keyID: String = "k1",
        claimed: String? = nil, method: MethodDescription = EchoService.caller,
        audience: String = audience, age: Duration = .zero, idempotencyKey: String? = "key-1",
        address: String? = nil
    ) throws -> String {
        let issuedAt = TLSLoopback.time.now() - age
        return try ApplicationToken.sign(
            .init(
                application: claimed ?? application, audience: audience, issuedAt: issuedAt,
                expiresAt: issuedAt + .seconds(60), method: method.name,
                idempotencyKey: idempotencyKey, clientAddress: address),
            key: key(byte), keyIdentifier: "\(application).\(keyID)")
    }

    private static func metadata(_ tokens: [String], key: String? = "key-1") -> Metadata {
        var entries = tokens.map {
            Metadata.Entry(key: Metadata.Key.applicationToken, value: Array($0.utf8))
        }
        entries.append(.init(key: Metadata.Key.clientAddress, value: Array("192.0.2.1".utf8)))
        if let key {
            entries.append(.init(key: Metadata.Key.idempotencyKey, value: Array(key.utf8)))
        }
        return Metadata(entries)
    }

    private static func call(
        _ client: RPCClient, _ metadata: Metadata,
        _ method: MethodDescription = EchoService.caller
    ) async throws -> EchoService.Response {
        try await client.call(
            method, EchoService.Request(accessToken: "hello"),
            client.context(timeout: .seconds(10), metadata: metadata))
    }

    private static func failure(
        _ client: RPCClient, _ metadata: Metadata,
        _ method: MethodDescription = EchoService.caller
    ) async throws -> ServiceError? {
        do {
            _ = try await call(client, metadata, method)
            return nil
        } catch let error as ServiceError {
            return error
        }
    }

    @Test("X-03: a call with a valid token is a call of its application, with its permissions")
    func valid() async throws {
        try await Self.run { _, client in
            let answer = try await Self.call(client, Self.metadata([try Self.token()]))
            #expect(answer.sessionId == "billing")
            #expect(answer.accountId == "192.0.2.1", "the address that the web service determined")
            let other = try Self.metadata([Self.token("billing", 2, keyID: "k2")])
            #expect(try await Self.call(client, other).sessionId == "billing")
        }
    }

    @Test("X-03: the token's address counts only from an application that may assert addresses")
    func addresses() async throws {
        try await Self.run { _, client in
            let may = try Self.metadata([Self.token("shop", 3, address: "198.51.100.9")])
            #expect(try await Self.call(client, may).accountId == "198.51.100.9")
            let mayNot = try Self.metadata([Self.token(address: "198.51.100.9")])
            #expect(try await Self.call(client, mayNot).accountId == "192.0.2.1")
            let silent = try Self.metadata([Self.token("shop", 3)])
            #expect(try await Self.call(client, silent).accountId == "192.0.2.1")
        }
    }

    @Test("X-03: an invalid token is rejected with the reason")
    func invalid() async throws {
        let sound = try Self.token()
        let rows: [(String, [String], String)] = [
            ("garbage", ["x.y.z"], "malformed"), ("empty", [""], "malformed"),
            ("repeated", [sound, sound], "malformed"),
            ("oversized", [String(repeating: "x", count: 4_097)], "malformed"),
            ("expired", [try Self.token(age: .seconds(125))], "expired"),
            ("of the future", [try Self.token(age: .seconds(-90))], "not-yet-valid"),
            ("for another audience", [try Self.token(audience: "https://x.example")], "audience"),
            (
                "for another idempotency key", [try Self.token(idempotencyKey: "k")],
                "idempotency-key"
            ),
            (
                "without its own idempotency key", [try Self.token(idempotencyKey: nil)],
                "idempotency-key"
            ),
            ("for another method", [try Self.token(method: EchoService.async)], "method"),
            ("of an unknown key", [try Self.token(keyID: "k9")], "signature"),
            ("of an unknown application", [try Self.token("nobody")], "signature"),
            ("by another application's key", [try Self.token("billing", 3)], "signature"),
            ("in another's name", [try Self.token("billing", claimed: "shop")], "application"),
            ("of an application with a shared key", [try Self.token("legacy")], "signature"),
            ("of the operator's tool", [try Self.token("tool", 4)], "application"),
        ]
        try await Self.run { _, client in
            for (name, tokens, rule) in rows {
                let error = try await Self.failure(client, Self.metadata(tokens))
                #expect(error?.code == .unauthenticated, "\(name)")
                #expect(error?.violations.map(\.rule) == [rule], "\(name)")
                #expect(error?.fields == ["application-token"], "\(name)")
            }
        }
    }

    @Test("X-03: with a token the web service's own permissions do not count, and reverse")
    func permissions() async throws {
        try await Self.run { _, client in
            let forAsync = try Self.metadata([Self.token(method: EchoService.async)])
            let error = try await Self.failure(client, forAsync, EchoService.async)
            #expect(error?.code == .permissionDenied)
            #expect(try await Self.failure(client, Self.metadata([]), EchoService.async) == nil)
            let own = try await Self.failure(client, Self.metadata([]))
            #expect(own?.code == .permissionDenied)
        }
    }

    @Test("X-03: from a caller that may not carry tokens a token changes nothing")
    func carrier() async throws {
        try await Self.run { loopback, _ in
            let client = try loopback.client(.init(application: "front"))
            for token in [try Self.token(), "x.y.z"] {
                let answer = try await Self.call(client, Self.metadata([token]))
                #expect(answer.sessionId == "front")
            }
            client.close()
        }
    }

    @Test("X-03: a call with a token that changes something needs an idempotency key")
    func idempotency() async throws {
        try await Self.run { loopback, client in
            for key in [nil, ""] {
                let token = try Self.token(idempotencyKey: key)
                let metadata = Self.metadata([token], key: key)
                let error = try await Self.failure(client, metadata)
                #expect(error?.code == .invalidArgument)
                #expect(error?.fields == ["idempotency-key"])
                #expect(error?.violations.first?.userMessage.isEmpty == false)
            }
            loopback.echo.gate.open()
            let token = try Self.token(method: EchoService.repeatable, idempotencyKey: nil)
            let error = try await Self.failure(
                client, Self.metadata([token], key: nil), EchoService.repeatable)
            #expect(error == nil)
        }
    }

    @Test("X-03: when an application or its key is removed, its tokens and streams end at once")
    func removed() async throws {
        try await Self.run { loopback, client in
            func reload(_ text: String) throws {
                loopback.server.use(
                    try Applications(
                        folder: loopback.folder.path, callers: CallersList(text: text),
                        needsKeys: false, sharedKeys: TestKey.sharedKeys))
            }
            let first = try Self.metadata([Self.token()])
            let second = try Self.metadata([Self.token("billing", 2, keyID: "k2")])
            let watch: PackedStreamCall = client.stream(
                EchoService.watch, payload: [],
                client.context(
                    timeout: .seconds(30),
                    metadata: try Self.metadata([Self.token(method: EchoService.watch)])))
            await loopback.echo.gate.entered(1)

            loopback.folder.remove("billing.k1.pub")
            try reload(Self.callers)
            let ended = await #expect(throws: ServiceError.self) { try await watch.response() }
            #expect(ended?.code == .unauthenticated)
            #expect(try await Self.failure(client, first)?.code == .unauthenticated)
            #expect(try await Self.failure(client, second) == nil)

            let lines = Self.callers.split(separator: "\n").filter { !$0.hasPrefix("billing") }
            try reload(lines.joined(separator: "\n"))
            #expect(try await Self.failure(client, second)?.code == .unauthenticated)
            #expect(try await Self.failure(client, Self.metadata([]), EchoService.async) == nil)
        }
    }

    @Test("SECURITY.md, Secrets: a token is not logged")
    func log() async throws {
        try await Self.run { loopback, client in
            let tokens = [try Self.token(), try Self.token(keyID: "k9")]
            for token in tokens { _ = try await Self.failure(client, Self.metadata([token])) }
            for token in tokens {
                #expect(loopback.log.lines.allSatisfy { !$0.contains(token) })
            }
        }
    }
}
