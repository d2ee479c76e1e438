import Messages
import NIOCore
import NIOSSL
import ServiceRuntime
import TestSupport
import Testing

@testable import RPC

@Suite("A call that gets no connection", .timeLimit(.minutes(1)))
struct UnreachedTests {
    @Test("it fails at its deadline, not at the next tick")
    func deadline() async throws {
        try await Instances.run(0, Instances.Terms(ports: [try deadPort()])) { fixture in
            // A tick would delay every one of them.
            let late = try await quickest(under: .milliseconds(5), of: 30) {
                try await elapsed {
                    let error = await fixture.failure(timeout: .milliseconds(53))
                    #expect(error?.code == .deadlineExceeded)
                } - .milliseconds(53)
            }
            #expect(late < .milliseconds(5))
        }
    }

    @Test("the earliest due time of all waiting calls is found in any order of arrival")
    func due() {
        var waiting = ClientPool.WaitingCalls()
        #expect(waiting.nextDue == nil)
        for (deadline, connect) in [(9, 5), (3, 8), (7, 7)] {
            let call = PendingCall(
                OutgoingRequest(method: "a/b", metadata: Metadata(), payload: []),
                deadline: .seconds(deadline), connectDue: .seconds(connect)
            ) { _ in }
            waiting.append(call)
        }
        #expect(waiting.nextDue == .seconds(3))
        #expect(waiting.takeExpired(at: .seconds(5)).count == 2)
        #expect(waiting.nextDue == .seconds(7))
        _ = waiting.takeAll()
        #expect(waiting.nextDue == nil)
    }

    @Test("its error names the problem of each address: refused, or the message of its GoAway")
    func reasons() async throws {
        let dead = try deadPort()
        let listener = try RawListener()
        let terms = Instances.Terms(
            connectTimeout: .seconds(1), ports: [dead, listener.port])
        try await Instances.run(0, terms) { fixture in
            async let failure = fixture.failure()
            let server = try listener.accept()
            server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
            server.send(
                .goAway(
                    WireV1.GoAway(reason: .draining, retryAfterMs: 5_000, message: "moving")))
            let detail = await failure?.detail ?? ""
            #expect(detail.contains("127.0.0.1:\(dead): refused"))
            #expect(detail.contains("127.0.0.1:\(listener.port): test.instance said"))
            #expect(detail.contains("moving"))
        }
    }

    @Test("its error says that TLS was refused")
    func tls() async throws {
        try await TLSLoopback.run { loopback in
            var caller = TLSLoopback.Caller()
            caller.roots = try TestAuthority(now: TLSLoopback.time.now())
            caller.connectTimeout = .seconds(1)
            let client = try loopback.client(caller)
            defer { client.close() }
            let error = await #expect(throws: ServiceError.self) {
                let _: EchoService.Response = try await client.call(
                    EchoService.onLoop, EchoService.Request(),
                    client.context(timeout: .seconds(5)))
            }
            let detail = error?.detail ?? ""
            #expect(
                detail.contains(
                    "TLS refused: the peer's certificate has expired, or was not issued by the "
                        + "trusted roots (CERTIFICATE_VERIFY_FAILED)"), "\(detail)")
            // No path of the build.
            #expect(!detail.contains(".cc:") && !detail.contains("swift-nio-ssl"), "\(detail)")
        }
    }

    @Test("its error describes at most four connection problems, in words")
    func words() {
        #expect(ConnectionFailure.text(IOError(errnoCode: 111, reason: "connect")) == "refused")
        #expect(ConnectionFailure.text(ChannelError.connectTimeout(.seconds(2))) == "timed out")
        for (error, words) in [
            (TLSPeerCheck.Refusal.certificate, "not valid for its name"),
            (TLSPeerCheck.Refusal.otherProtocol, "does not speak postern/1"),
            (NIOSSLExtraError.failedToValidateHostname, "not valid for its name"),
            (
                NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])),
                "closed the connection"
            ),
            (NIOSSLError.handshakeFailed(.sslError([])), "the handshake failed"),
            (NIOSSLError.uncleanShutdown, "without an end of TLS"),
        ] as [(any Error, String)] {
            let text = ConnectionFailure.text(error)
            #expect(text.hasPrefix("TLS refused: the peer") || text.hasPrefix("TLS refused: the h"))
            #expect(text.contains(words), "\(text)")
        }
        let many = Array(
            repeating: (address: "a", text: String(repeating: "x", count: 999)), count: 9)
        let detail = ConnectionFailure.detail("s", many)
        #expect(detail.hasSuffix("; 5 more)"))
        #expect(detail.count < 1_000)
        #expect(ConnectionFailure.detail("s", []).contains("known"))
    }
}
