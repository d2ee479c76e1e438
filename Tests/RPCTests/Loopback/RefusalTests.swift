import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("Calls over TCP: errors that concern one call only", .timeLimit(.minutes(1)))
struct RefusalTests {
    @Test(
        "Protos/README.md, Call: an unknown method is UNIMPLEMENTED",
        arguments: [
            "test.v1.Echo/Nothing", "test.v1.Echo/OnLoo", "test.v1.Echo/OnLoopp", "", "/", "é",
        ])
    func unknownMethod(name: String) async throws {
        try await Loopback.run { loopback in
            let error = try await loopback.failure(
                MethodDescription(
                    name: name, isIdempotent: false, timeout: .seconds(1), isOnLoop: true))
            #expect(error?.code == .unknownMethod)
            try await loopback.expectEcho(EchoService.onLoop, "next")
        }
    }

    @Test(
        "Protos/README.md, Frame: a payload that does not decode is INVALID_ARGUMENT",
        arguments: [
            [0x0a], [0x0a, 0x05, 0x61], [0x08, 0x01], [0x0a, 0x01, 0xff], [0x0a, 0x01, 0x00],
            [0xff], [0x0b], [0x00],
        ], [EchoService.onLoop, EchoService.async])
    func payload(payload: [UInt8], method: MethodDescription) async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(.request(WireV1.Request(call: 1, method: method.name, payload: payload)))
            let refusal = try peer.response(1)
            #expect(refusal.status == 3)
            #expect(refusal.error?.code == "rpc/invalid-argument")
            peer.send(2, method, "next")
            #expect(try peer.response(2).status == 0)
            #expect(loopback.server.runningCount == 0)
        }
    }

    @Test("X-01: an expected error reaches the caller with its fields but without its detail")
    func expected() async throws {
        try await Loopback.run { loopback in
            let error = try #require(try await loopback.failure(EchoService.limited))
            #expect(error.code == .tooManyRequests)
            #expect(error.retryAfter == .milliseconds(1_500))
            #expect(error.fields == ["email"])
            #expect(!error.detail.contains("canary"))
        }
    }

    @Test(
        "SECURITY.md, Secrets: an unexpected error is rpc/internal, and only the log has its text",
        arguments: [EchoService.fails, EchoService.failsOnLoop])
    func unexpected(method: MethodDescription) async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, method)
            let response = try peer.response(1)
            #expect(response.error?.code == "rpc/internal")
            #expect(response.status == 13)
            #expect(!"\(response)".contains("canary"))
            #expect(loopback.log.lines.contains { $0.contains("canary in the mine") })
            #expect(loopback.server.runningCount == 0)
        }
    }

    @Test(
        "Protos/README.md, Frame: an answer over the peer's limit is RESOURCE_EXHAUSTED",
        arguments: [EchoService.long, EchoService.longAsync])
    func answerTooLarge(method: MethodDescription) async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port, frameBytesMax: 1_024)
            peer.send(1, method, "2000")
            #expect(try peer.response(1).error?.code == "rpc/resource-exhausted")
            peer.send(2, method, "900")
            #expect(try peer.response(2).status == 0)
        }
    }

    @Test("Protos/README.md, Frame: a request over the server's limit is not sent")
    func requestTooLarge() async throws {
        try await Loopback.run(limits: Loopback.Limits(frameBytesMax: 8_192)) { loopback in
            try await loopback.expectEcho(EchoService.onLoop, "greets")
            let error = try await loopback.failure(
                EchoService.onLoop, String(repeating: "x", count: 8_192))
            #expect(error?.code == .resourceExhausted)
            let text = String(repeating: "x", count: 8_100)
            try await loopback.expectEcho(EchoService.onLoop, text)
        }
    }

    @Test("Protos/README.md, Call: client and server reject a call with over 8 KiB of metadata")
    func metadata() async throws {
        try await Loopback.run { loopback in
            let value = [UInt8](repeating: 1, count: 8_193)
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(
                .request(
                    WireV1.Request(
                        call: 1, method: EchoService.onLoop.name,
                        metadata: [WireV1.Metadata(key: "", value: value)])))
            #expect(try peer.response(1).error?.code == "rpc/invalid-argument")
            peer.send(2, EchoService.onLoop, "next")
            #expect(try peer.response(2).status == 0)
            let error = try await loopback.failure(
                EchoService.onLoop, metadata: Metadata([.init(key: "", value: value)]))
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("Protos/README.md, Call: a call above calls_max is rejected at once, not processed")
    func callsMax() async throws {
        try await Loopback.run(limits: Loopback.Limits(callsMax: 2)) { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            for call in 1...3 { peer.send(UInt64(call), EchoService.gated, "\(call)") }
            let refusal = try peer.response(3)
            #expect(refusal.error?.code == "rpc/resource-exhausted")
            #expect(refusal.notProcessed)
            // The limit applies to one connection: another is served.
            try await loopback.expectEcho(EchoService.async, "neighbour")
            loopback.gate.open()
            #expect(try peer.response(2).status == 0)
        }
    }

    @Test("Protos/README.md, Call: a call above the server's limit of running handlers is rejected")
    func runningMax() async throws {
        let limits = Loopback.Limits().with {
            $0.runningMax = 1
            $0.queueMax = 0
        }
        try await Loopback.run(limits: limits) { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, EchoService.gated)
            await loopback.gate.entered(1)
            let error = try await loopback.failure(EchoService.async)
            #expect(error?.code == .resourceExhausted)
            try await loopback.expectEcho(EchoService.onLoop, "never waits")
            loopback.gate.open()
            #expect(try peer.response(1).status == 0)
            try await loopback.expectEcho(EchoService.async, "free")
        }
    }

    @Test("a peer's not_processed becomes isUnbegunByPeer, not our own notProcessed")
    func notProcessed() async throws {
        try await Loopback.run(limits: Loopback.Limits(callsMax: 0)) { loopback in
            let error = try await loopback.failure(EchoService.async)
            #expect(error?.code == .resourceExhausted)
            #expect(error?.notProcessed == false)
            #expect(error?.isUnbegunByPeer == true)
            #expect(error?.didNothing == true)
        }
    }
}
