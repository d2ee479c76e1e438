import ServiceRuntime
import TestSupport
import Testing

@testable import RPC

@Suite("The log of slow calls", .timeLimit(.minutes(1)))
struct SlowCallTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    @Test("a slow call is logged with method, status, duration and trace, but without content")
    func logged() async throws {
        let log = CapturedLog()
        let slow = SlowCallLog(threshold: .zero, logger: log.logger())
        try await ObservedLoopback.run(slowCalls: slow) { loopback in
            var metadata = Metadata()
            metadata[Metadata.Key.traceparent] = "00-\(Self.trace)-00f067aa0ba902b7-01"
            metadata[Metadata.Key.clientAddress] = "192.0.2.7"
            // It waits at its gate, so it does not end in the event-loop tick in which it arrived.
            let waiting = Task { [metadata] in
                try await loopback.call(EchoService.gated, metadata: metadata)
            }
            await loopback.echo.gate.entered(1)
            // This is answered in a later tick: the one in which the gated call arrived is over.
            try await loopback.call(EchoService.onLoop)
            loopback.echo.gate.open()
            _ = try await waiting.value
            #expect(
                try await loopback.waits(
                    for: "postern_rpc_calls_total{method=\"test.v1.Echo/Gated\",status=\"ok\"} 1"))
        }
        let line = try #require(log.lines.first { $0.contains("Echo/Gated") })
        #expect(line.contains("\"event\":\"rpc.call.slow\""))
        #expect(line.contains("\"level\":\"warning\""))
        #expect(line.contains("\"status\":\"ok\""))
        #expect(line.contains("\"trace\":\"\(Self.trace)\""))
        #expect(line.contains("\"milliseconds\":"))
        #expect(!line.contains("192.0.2.7"))
    }

    @Test("a quick call is not logged")
    func quick() async throws {
        let log = CapturedLog()
        let slow = SlowCallLog(threshold: .seconds(30), logger: log.logger())
        try await ObservedLoopback.run(slowCalls: slow) { loopback in
            try await loopback.call(EchoService.onLoop)
            try await loopback.call(EchoService.async)
        }
        #expect(log.lines.isEmpty)
    }

    @Test("at most ten lines a second are written, and the next one counts those left out")
    func budget() {
        var budget = SlowCallLog.Budget()
        let start = Duration.seconds(100)
        let first = (0..<25).map { budget.decide(at: start + .milliseconds($0 * 39)) }
        #expect(first.filter { $0 == .write(leftOut: 0) }.count == 10)
        #expect(first.dropFirst(10).allSatisfy { $0 == .leaveOut })
        #expect(budget.decide(at: start + .milliseconds(999)) == .leaveOut)
        #expect(budget.decide(at: start + .seconds(1)) == .write(leftOut: 16))
        #expect(budget.decide(at: start + .seconds(1)) == .write(leftOut: 0))
    }

    @Test("the log says how many lines it left out")
    func leftOut() {
        let log = CapturedLog()
        let slow = SlowCallLog(threshold: .seconds(1), logger: log.logger())
        for _ in 0..<15 {
            slow.record(.seconds(2), at: .seconds(5)) { SlowCallLog.Call(method: "m") }
        }
        #expect(log.lines.count == 10)
        slow.record(.seconds(1), at: .seconds(7)) { SlowCallLog.Call(method: "m") }
        #expect(log.lines.count == 12)
        #expect(log.lines.last?.contains("\"count\":5") == true)
        slow.record(.milliseconds(999), at: .seconds(9)) { SlowCallLog.Call(method: "m") }
        #expect(log.lines.count == 12)
    }
}
