import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("Changes to the list of callers under open connections", .timeLimit(.minutes(1)))
struct CallersReloadTests {
    private static let both = CallersList(["gateway", "tool"], assertingClientAddress: [])

    private func applications(
        _ loopback: TLSLoopback, _ callers: CallersList = both
    ) throws -> Applications {
        try Applications(
            folder: loopback.folder.path, callers: callers, needsKeys: false,
            sharedKeys: TestKey.sharedKeys)
    }

    /// A peer that has proved itself with the key `keyID`, over TLS.
    private func peer(
        _ loopback: TLSLoopback, _ relay: Relay, keyID: String = "k1", application: String = "tool"
    ) throws -> RawPeer {
        let peer = try RawPeer(port: relay.port)
        try peer.greet()
        var hello = WireV1.Hello(
            version: 1, service: "test.echo", application: application, keyId: keyID)
        hello.proof = ApplicationProof.make(
            challenge: peer.serverHello.challenge, hello, key: TestKey.right,
            leafHash: try loopback.leafHash())
        peer.send(.hello(hello))
        peer.send(1, EchoService.onLoop)
        #expect(try peer.response(1).status == 0)
        return peer
    }

    @Test("X-03: a removed caller gets GoAway UNAUTHENTICATED on its open connection")
    func removed() async throws {
        let setup = TLSLoopback.Setup(
            callers: Self.both, keys: ["gateway.k1.key": TestKey.text, "tool.k1.key": TestKey.text])
        try await TLSLoopback.run(setup) { loopback in
            let relay = try await loopback.relay()
            let peer = try peer(loopback, relay)
            peer.send(2, EchoService.gated, "runs")
            await loopback.echo.gate.entered(1)
            let neighbour = try loopback.client()
            await TLSLoopback.expect(nil, of: neighbour)

            let clock = ContinuousClock()
            let started = clock.now
            loopback.server.use(
                try applications(loopback, CallersList(["gateway"], assertingClientAddress: [])))
            #expect(try peer.goAway() == .unauthenticated)
            #expect(started.duration(to: clock.now) < .seconds(4))
            #expect(loopback.echo.gate.cancelled == 1)
            await TLSLoopback.expect(nil, of: neighbour)
            try await loopback.expect(.unauthenticated, .init(application: "tool"))
            neighbour.close()
        }
    }

    @Test("X-03: a removed key ends its connections once their calls finish, and no others")
    func keyRemoved() async throws {
        let setup = TLSLoopback.Setup(
            callers: Self.both, keys: ["tool.k1.key": TestKey.text, "tool.k2.key": TestKey.text])
        try await TLSLoopback.run(setup) { loopback in
            let other = String(repeating: "5c", count: 32)
            loopback.folder.remove("tool.k2.key")
            try loopback.folder.writeKey(other, to: "tool.k2.key")
            loopback.server.use(try applications(loopback))
            let relay = try await loopback.relay()
            let peer = try peer(loopback, relay)
            peer.send(2, EchoService.gated, "runs")
            await loopback.echo.gate.entered(1)

            loopback.folder.remove("tool.k1.key")
            loopback.server.use(try applications(loopback))
            guard case .goAway(let goAway) = try peer.receive() else {
                Issue.record("no GoAway")
                return
            }
            #expect(goAway.reason == .draining)
            peer.send(3, EchoService.onLoop)
            #expect(try peer.response(3).notProcessed)
            loopback.echo.gate.open()
            #expect(try peer.response(2).status == 0)
            #expect(try peer.receive() == nil)
            try await loopback.expect(.unauthenticated, .init(application: "tool"))
            let key = KeyedHash(key: SecretBytes(copying: [UInt8](repeating: 0x5c, count: 32)))
            let caller = TLSLoopback.Caller(application: "tool", key: key, keyID: "k2")
            try await loopback.expect(nil, caller)
        }
    }

    @Test("X-03: a new key under the same id ends the connections of the old key")
    func keyExchanged() async throws {
        let setup = TLSLoopback.Setup(callers: Self.both, keys: ["tool.k1.key": TestKey.text])
        try await TLSLoopback.run(setup) { loopback in
            let relay = try await loopback.relay()
            let peer = try peer(loopback, relay)
            loopback.server.use(try applications(loopback))
            peer.send(2, EchoService.onLoop)
            #expect(try peer.response(2).status == 0)
            try loopback.folder.writeKey(String(repeating: "ab", count: 32), to: "tool.k1.key")
            loopback.server.use(try applications(loopback))
            #expect(try peer.goAway() == .draining)
        }
    }

    @Test("X-03: keys rotate under load without a lost call")
    func rotation() async throws {
        let setup = TLSLoopback.Setup(callers: Self.both, keys: ["tool.k1.key": TestKey.text])
        try await TLSLoopback.run(setup) { loopback in
            let second = String(repeating: "ab", count: 32)
            let client = try loopback.client(.init(application: "tool"), key: "tool.k1.key")
            let load = Load(client.client)
            try await load.reached(50)
            try loopback.folder.writeKey(second, to: "tool.k2.key")
            loopback.server.use(try applications(loopback))
            client.key.replace(try ApplicationKey(file: loopback.folder.file("tool.k2.key")))
            try await load.reached(100)
            loopback.folder.remove("tool.k1.key")
            loopback.server.use(try applications(loopback))
            try await load.reached(150)
            let failures = await load.stop()
            #expect(failures == [])
            client.client.close()
        }
    }

    @Test("X-03: a caller may call the methods on its line, and other methods are rejected")
    func methods() async throws {
        let callers = try CallersList(
            text: "gateway test.v1.Echo/Async test.v1.Echo/Caller\ntool test.v1.Echo/*\n")
        let setup = TLSLoopback.Setup(
            callers: callers, keys: ["gateway.k1.key": TestKey.text, "tool.k1.key": TestKey.text])
        try await TLSLoopback.run(setup) { loopback in
            let client = try loopback.client()
            await TLSLoopback.expect(nil, of: client, EchoService.async)
            await TLSLoopback.expect(.permissionDenied, of: client)
            let tool = TLSLoopback.Caller(application: "tool")
            try await loopback.expect(nil, tool)
            // The permissions change under its open connection.
            let wider = try CallersList(text: "gateway test.v1.Echo/OnLoop\n")
            loopback.server.use(try applications(loopback, wider))
            await TLSLoopback.expect(nil, of: client)
            await TLSLoopback.expect(.permissionDenied, of: client, EchoService.async)
            client.close()

            let relay = try await loopback.relay()
            let peer = try self.peer(loopback, relay, application: "gateway")
            peer.send(2, EchoService.async)
            let refusal = try peer.response(2)
            #expect(refusal.status == 7)
            #expect(refusal.notProcessed)
        }
    }
}
