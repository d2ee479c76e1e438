import Messages
import RPC
import ServiceRuntime
import Testing

@Suite("X-06: metrics of a server and its clients", .timeLimit(.minutes(1)))
struct ServerMetricsTests {
    private static func calls(_ method: String, _ status: String, _ count: Int) -> String {
        "postern_rpc_calls_total{method=\"test.v1.Echo/\(method)\",status=\"\(status)\"} \(count)"
    }

    @Test("each call is counted once, by method and status")
    func counted() async throws {
        try await ObservedLoopback.run { loopback in
            for _ in 0..<3 { try await loopback.call(EchoService.onLoop) }
            for _ in 0..<2 { try await loopback.call(EchoService.async) }
            #expect(try await loopback.call(EchoService.fails) == .internalError)
            #expect(try await loopback.call(EchoService.failsOnLoop) == .internalError)
            #expect(try await loopback.call(EchoService.limited) == .tooManyRequests)
            let lines = loopback.lines("postern_rpc_calls_total")
            #expect(lines.contains(Self.calls("OnLoop", "ok", 3)))
            #expect(lines.contains(Self.calls("Async", "ok", 2)))
            #expect(lines.contains(Self.calls("Fails", "internal", 1)))
            #expect(lines.contains(Self.calls("FailsOnLoop", "internal", 1)))
            #expect(lines.contains(Self.calls("Limited", "resource_exhausted", 1)))
            let errors = loopback.lines("postern_rpc_errors_total")
            #expect(
                errors == [
                    "postern_rpc_errors_total{code=\"auth/too-many-requests\"} 1",
                    "postern_rpc_errors_total{code=\"rpc/internal\"} 2",
                ])
        }
    }

    @Test("every call is in its method's histogram, and its request bytes are counted")
    func durations() async throws {
        try await ObservedLoopback.run { loopback in
            for _ in 0..<3 { try await loopback.call(EchoService.onLoop) }
            for _ in 0..<2 { try await loopback.call(EchoService.async) }
            let lines = loopback.lines("postern_rpc_")
            for (method, count) in [("OnLoop", 3), ("Async", 2), ("Fails", 0)] {
                let label = "method=\"test.v1.Echo/\(method)\""
                let total = "postern_rpc_call_seconds_count{\(label)} \(count)"
                let top = "postern_rpc_call_seconds_bucket{\(label),le=\"+Inf\"} \(count)"
                // A method without calls has no histogram.
                #expect(lines.contains(total) == (count > 0))
                #expect(lines.contains(top) == (count > 0))
                // An access token of one byte takes three bytes: tag, length and value.
                let bytes = "postern_rpc_request_bytes_total{\(label)} \(count * 3)"
                #expect(lines.contains(bytes))
            }
            let buckets = lines.filter {
                $0.hasPrefix("postern_rpc_call_seconds_bucket{method=\"test.v1.Echo/Async\"")
            }
            #expect(buckets.dropLast().last?.contains("le=\"10\"") == true)
            #expect(buckets.dropFirst().allSatisfy { !$0.hasSuffix(" 0") }, "\(buckets)")
            #expect(lines.contains("postern_rpc_connections 1"))
        }
    }

    @Test(
        "a call is in flight while its handler runs, and a cancelled call is counted as cancelled")
    func inFlight() async throws {
        try await ObservedLoopback.run { loopback in
            let gauge = "postern_rpc_in_flight{method=\"test.v1.Echo/Gated\"}"
            let waiting = Task { try await loopback.call(EchoService.gated) }
            await loopback.echo.gate.entered(1)
            #expect(loopback.lines(gauge) == ["\(gauge) 1"])
            #expect(
                loopback.lines("postern_rpc_client_in_flight") == [
                    "postern_rpc_client_in_flight{method=\"test.v1.Echo/Gated\",target=\"test.echo\"} 1"
                ])
            waiting.cancel()
            let code = try await waiting.value
            #expect(code == .cancelled)
            let isOver = try await loopback.waits(for: "\(gauge) 0")
            #expect(isOver)
            let lines = loopback.lines("postern_rpc_calls_total")
            #expect(lines.contains(Self.calls("Gated", "cancelled", 1)))
            #expect(lines.contains(Self.calls("Gated", "ok", 0)))
        }
    }

    @Test("a call that ends at its deadline is counted once, as deadline_exceeded")
    func late() async throws {
        try await ObservedLoopback.run { loopback in
            // A raw peer leaves the deadline to the server; our client would cancel at its own.
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, EchoService.gated, timeout: 60)
            #expect(try peer.response(1).error?.code == "rpc/deadline-exceeded")
            let line = Self.calls("Gated", "deadline_exceeded", 1)
            #expect(try await loopback.waits(for: line))
            #expect(!loopback.lines(Self.calls("Gated", "ok", 0)).isEmpty)
        }
    }

    @Test("calls to unknown methods create no metric series")
    func strangers() async throws {
        try await ObservedLoopback.run { loopback in
            try await loopback.call(EchoService.onLoop)
            let before = loopback.lines("postern_rpc_calls_total").count
            let peer = try RawPeer.greeted(port: loopback.server.port)
            for call in 1...300 {
                peer.send(
                    UInt64(call),
                    MethodDescription(
                        name: "evil.v1.Name/M\(call)", isIdempotent: false,
                        timeout: .seconds(1), isOnLoop: true))
            }
            _ = try peer.response(300)
            #expect(loopback.lines("postern_rpc_calls_total").count == before)
            #expect(!loopback.registry.prometheusText().contains("evil"))
            #expect(
                loopback.lines("postern_rpc_refusals_total") == [
                    "postern_rpc_refusals_total{code=\"rpc/unknown-method\"} 300"
                ])
        }
    }

    @Test("a client counts its calls by target, method and status")
    func client() async throws {
        try await ObservedLoopback.run { loopback in
            for _ in 0..<4 { try await loopback.call(EchoService.async) }
            try await loopback.call(EchoService.limited)
            let lines = loopback.lines("postern_rpc_client_")
            let name = "postern_rpc_client_calls_total"
            let target = "target=\"test.echo\""
            #expect(
                lines.contains(
                    "\(name){method=\"test.v1.Echo/Async\",status=\"ok\",\(target)} 4"))
            #expect(
                lines.contains(
                    "\(name){method=\"test.v1.Echo/Limited\",status=\"resource_exhausted\",\(target)} 1"
                ))
            #expect(
                lines.contains(
                    "postern_rpc_client_call_seconds_count{method=\"test.v1.Echo/Async\",\(target)} 4"
                ))
        }
    }
}
