import Messages
import RPC
import ServiceRuntime
import Testing

@Suite("Hello over TCP", .timeLimit(.minutes(1)))
struct HandshakeTests {
    @Test("Protos/README.md, Connection 1: the server sends Hello first, with its limits")
    func serverHello() async throws {
        try await Loopback.run(limits: Loopback.Limits(frameBytesMax: 65_536, callsMax: 7)) {
            loopback in
            let peers = try [
                RawPeer(port: loopback.server.port), RawPeer(port: loopback.server.port),
            ]
            for peer in peers { try peer.greet() }
            let hello = peers[0].serverHello
            #expect(hello.version == 1)
            #expect(hello.frameBytesMax == 65_536)
            #expect(hello.callsMax == 7)
            #expect(hello.keepaliveFloorMs == 10_000)
            #expect(hello.challenge.count == 32)
            #expect(hello.challenge != peers[1].serverHello.challenge)
        }
    }

    @Test("X-03: a client with a wrong key or another service's name fails as unauthenticated")
    func wrongProof() async throws {
        try await Loopback.run { loopback in
            let port = loopback.server.port
            let wrongKey = Loopback.client(port: port, group: loopback.group, secret: TestKey.wrong)
            let wrongName = Loopback.client(
                port: port, group: loopback.group, service: "test.other")
            for client in [wrongKey, wrongName] {
                #expect(await loopback.outcome(of: client) == .unauthenticated)
                #expect(await loopback.outcome(of: client) == .unauthenticated)
                client.close()
            }
            try await loopback.expectEcho(EchoService.onLoop, "neighbour")
        }
    }

    /// Hellos with one wrong field each.
    private func wrong(_ sound: WireV1.Hello) -> [WireV1.Hello] {
        let proofs = [[], sound.proof.reversed(), sound.proof.dropLast(), sound.proof + [0]]
        let texts: [(WritableKeyPath<WireV1.Hello, String>, String)] = [
            (\.application, "identity"), (\.application, ""), (\.keyId, "k2"), (\.service, ""),
            (\.service, "test.echo\u{301}"),
        ]
        return proofs.map { proof in
            var hello = sound
            hello.proof = Array(proof)
            return hello
        }
            + texts.map { part, text in
                var hello = sound
                hello[keyPath: part] = text
                return hello
            }
    }

    @Test("X-03: a Hello with any wrong part is rejected as UNAUTHENTICATED")
    func wrongParts() async throws {
        try await Loopback.run { loopback in
            for number in 0..<9 {
                let peer = try RawPeer(port: loopback.server.port)
                try peer.greet()
                let hellos = wrong(peer.soundHello())
                #expect(hellos.count == 9)
                peer.send(.hello(hellos[number]))
                peer.send(1, EchoService.onLoop)
                let reason = try peer.goAway()
                #expect(reason == .unauthenticated, "\(hellos[number])")
            }
        }
    }

    @Test("Protos/README.md, Connection 2: a captured Hello is rejected on another connection")
    func captured() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer(port: loopback.server.port)
            try peer.greet()
            let thief = try RawPeer(port: loopback.server.port)
            try thief.greet()
            thief.send(.hello(peer.soundHello()))
            #expect(try thief.goAway() == .unauthenticated)
        }
    }

    @Test("Protos/README.md, Connection 2: a Hello without a common version is UNSUPPORTED_VERSION")
    func version() async throws {
        try await Loopback.run { loopback in
            for (version, isServed) in [(UInt32(0), false), (2, true), (.max, true)] {
                let peer = try RawPeer(port: loopback.server.port)
                try peer.greet()
                var hello = peer.soundHello()
                hello.version = version
                peer.send(.hello(hello))
                if isServed {
                    peer.send(1, EchoService.onLoop)
                    #expect(try peer.response(1).status == 0)
                } else {
                    #expect(try peer.goAway() == .unsupportedVersion)
                }
            }
        }
    }

    @Test(
        "Protos/README.md, Connection 5: above connections_max the GoAway is TOO_MANY_CONNECTIONS")
    func tooMany() async throws {
        try await Loopback.run(limits: Loopback.Limits().with { $0.connectionsMax = 1 }) {
            loopback in
            var first: RawPeer? = try RawPeer.greeted(port: loopback.server.port)
            first?.send(1, EchoService.onLoop)
            #expect(try first?.response(1).status == 0)
            #expect(try RawPeer(port: loopback.server.port).goAway() == .tooManyConnections)
            first = nil
            // The place is free again.
            try await loopback.expectEcho(EchoService.onLoop, "next")
        }
    }
}
