import Messages
import RPC
import ServiceRuntime
import Testing

@Suite("Calls over TCP: a client respects the server's calls_max", .timeLimit(.minutes(1)))
struct CallsMaxTests {
    @Test("Protos/README.md, Call: calls above calls_max wait at the client and are then sent")
    func waits() async throws {
        try await Loopback.run(limits: Loopback.Limits(callsMax: 2)) { loopback in
            try await loopback.expectEcho(EchoService.onLoop, "greeted")
            let answers = try await withThrowingTaskGroup(of: String.self) { calls in
                for number in 0..<7 {
                    calls.addTask { try await loopback.call(EchoService.gated, "\(number)") }
                }
                await loopback.gate.entered(2)
                #expect(loopback.server.runningCount == 2)
                loopback.gate.open()
                return try await calls.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(answers == Set((0..<7).map(String.init)))
        }
    }

    @Test("a call that waits for calls_max ends at its deadline or when it is cancelled")
    func givesUp() async throws {
        try await Loopback.run(limits: Loopback.Limits(callsMax: 1)) { loopback in
            async let first = loopback.call(EchoService.gated, "first")
            await loopback.gate.entered(1)
            let late = try await loopback.failure(EchoService.async, timeout: .milliseconds(60))
            #expect(late?.code == .deadlineExceeded)
            let task = Task { try await loopback.failure(EchoService.async) }
            task.cancel()
            let cancelled = try await task.value
            #expect(cancelled?.code == .cancelled)
            loopback.gate.open()
            let answer = try await first
            #expect(answer == "first")
            try await loopback.expectEcho(EchoService.async, "next")
        }
    }
}
