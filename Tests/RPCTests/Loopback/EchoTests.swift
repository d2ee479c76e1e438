import Messages
import RPC
import Testing

@Suite("Calls over TCP: answers", .timeLimit(.minutes(1)))
struct EchoTests {
    @Test(
        "every kind of handler answers",
        arguments: [EchoService.onLoop, EchoService.encoded, EchoService.async])
    func echo(method: MethodDescription) async throws {
        try await Loopback.run { loopback in
            for text in ["", "a", "ä€🧭", String(repeating: "x", count: 100_000)] {
                try await loopback.expectEcho(method, text)
            }
            #expect(loopback.server.runningCount == 0)
        }
    }

    @Test("2,000 concurrent calls on one connection each get their own answer")
    func interleaved() async throws {
        try await Loopback.run { loopback in
            try await withThrowingTaskGroup(of: Bool.self) { calls in
                for number in 0..<2_000 {
                    let method = number % 2 == 0 ? EchoService.onLoop : EchoService.async
                    calls.addTask { try await loopback.call(method, "\(number)") == "\(number)" }
                }
                for try await isOwn in calls { #expect(isOwn) }
            }
            #expect(loopback.server.runningCount == 0)
        }
    }

    @Test("Protos/README.md, Call: a waiting call does not delay others on its connection")
    func overtaken() async throws {
        try await Loopback.run { loopback in
            async let waiting = loopback.call(EchoService.gated, "first")
            await loopback.gate.entered(1)
            try await loopback.expectEcho(EchoService.onLoop, "second")
            try await loopback.expectEcho(EchoService.async, "third")
            #expect(loopback.server.runningCount == 1)
            loopback.gate.open()
            let first = try await waiting
            #expect(first == "first")
        }
    }

    @Test("X-03: a handler knows its caller and the call's metadata")
    func context() async throws {
        try await Loopback.run { loopback in
            var metadata = Metadata()
            metadata[Metadata.Key.clientAddress] = "192.0.2.7"
            metadata[Metadata.Key.idempotencyKey] = "once"
            let answer: EchoService.Response = try await loopback.client.call(
                EchoService.caller, EchoService.Request(),
                loopback.client.context(timeout: .seconds(20), metadata: metadata))
            #expect(answer.sessionId == "gateway")
            #expect(answer.accountId == "192.0.2.7")
            #expect(answer.amr == ["once"])
        }
    }

    @Test("a tool can call a method with encoded messages")
    func raw() async throws {
        try await Loopback.run { loopback in
            let answer = try await loopback.client.call(
                EchoService.async,
                packed: .plain(EchoService.Request(accessToken: "x").encoded()),
                loopback.client.context(timeout: .seconds(20)))
            let response = try EchoService.Response(decoding: answer)
            #expect(response.sessionId == "x")
        }
    }
}
