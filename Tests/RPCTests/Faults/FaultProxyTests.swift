import Messages
import RPC
import TestSupport
import Testing

@Suite("The fault proxy itself, on real sockets", .timeLimit(.minutes(1)))
struct FaultProxyTests {
    /// A raw caller of the echo service behind a proxy with `faults`.
    private func behind(
        _ faults: ConnectionFaults, _ body: @Sendable (RawPeer, FaultProxy) throws -> Void
    ) async throws {
        try await Loopback.run { loopback in
            let proxy = try FaultProxy(to: loopback.server.port) { _ in faults }
            try body(try RawPeer(port: proxy.port), proxy)
            proxy.stop()
            #expect(proxy.openConnections == 0)
        }
    }

    @Test("without faults a call passes, and the proxy counts its connections")
    func good() async throws {
        try await behind(.none) { peer, proxy in
            try peer.greet()
            peer.send(.hello(peer.soundHello()))
            peer.send(1, EchoService.onLoop, "a")
            #expect(try peer.response(1).status == 0)
            #expect(proxy.openConnections == 1 && proxy.takenConnections == 1)
        }
    }

    @Test("a reset ends the connection with an error, a truncation with a clean close")
    func ends() async throws {
        let faults: [(Fault, String)] = [
            (.reset(after: 10), "recv"), (.truncate(after: 10), "cut"),
        ]
        for (fault, reason) in faults {
            try await behind(ConnectionFaults(downwards: fault)) { peer, _ in
                let silence = #expect(throws: RawPeer.Silence.self) { try peer.greet() }
                #expect(silence?.reason.hasPrefix(reason) == true, "\(fault)")
            }
        }
    }

    @Test("stalled bytes arrive when the network heals")
    func stall() async throws {
        try await behind(.none) { peer, proxy in
            try peer.greet()
            peer.send(.hello(peer.soundHello()))
            peer.send(1, EchoService.onLoop, "a")
            #expect(try peer.response(1).status == 0)
            proxy.set(ConnectionFaults(upwards: .stall(after: 7)))
            peer.send(2, EchoService.onLoop, "b")
            proxy.clearFaults()
            #expect(try peer.response(2).status == 0)
        }
    }

    @Test("duplicated bytes are a protocol error")
    func duplicate() async throws {
        try await behind(ConnectionFaults(upwards: .duplicate(after: 0, count: 2))) { peer, _ in
            try peer.greet()
            peer.send(.hello(peer.soundHello()))
            #expect(try peer.goAway() == .protocolError)
        }
    }

    @Test("a caller whose sending side was closed gets no answer and is disconnected")
    func halfClose() async throws {
        try await behind(ConnectionFaults(upwards: .halfClose(after: 20))) { peer, _ in
            try peer.greet()
            peer.send(.hello(peer.soundHello()))
            #expect(try peer.receive() == nil)
        }
    }
}
