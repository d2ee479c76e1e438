import Contracts
import Messages
import MetricsTestKit
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("The circuit breaker of a client", .timeLimit(.minutes(1)))
struct BreakerTests {
    private static func isOpen(_ fixture: Instances, port: Int) throws -> Double {
        let meter = try fixture.metrics.expectMeter(
            "rpc_client_breakers_open",
            [("service", "test.instance"), ("address", "127.0.0.1:\(port)")])
        return meter.values.last ?? 0
    }

    @Test("Protos/README.md, Client: after ten failed calls the next fail at once with retry_after")
    func dead() async throws {
        let port = try deadPort()
        let terms = Instances.Terms(connectTimeout: .milliseconds(100), ports: [port])
        try await Instances.run(0, terms) { fixture in
            let errors = await withTaskGroup(of: ServiceError?.self) { calls in
                for _ in 0..<10 { calls.addTask { await fixture.failure() } }
                return await calls.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.allSatisfy { $0?.code == .unavailable && $0?.retryAfter == nil })
            let error = await fixture.failure()
            #expect(error?.code == .unavailable)
            #expect(error?.notProcessed == false)
            let wait = error?.retryAfter ?? .zero
            #expect(wait > .zero && wait <= .seconds(1))
            let took = try await quickest(under: .milliseconds(50)) {
                try await elapsed { #expect(await fixture.failure()?.code == .unavailable) }
            }
            #expect(took < .milliseconds(50))
            #expect(fixture.count("rpc_client_breaker_opens") > 0)
            #expect(try Self.isOpen(fixture, port: port) == 1)

            let instance = Instance("back")
            let server = try await Instances.serve(instance, port: port, group: fixture.group)
            #expect(try await eventually { await fixture.failure() == nil })
            #expect(try Self.isOpen(fixture, port: port) == 0)
            #expect(fixture.log.lines.contains { $0.contains("rpc.circuit.closed") })
            await server.drain()
        }
    }

    @Test(
        "X-06: ten calls that pass their deadlines on a silent connection open the breaker",
        arguments: [false, true])
    func silent(isCallersDeadline: Bool) async throws {
        try await StallableInstance.run { stallable in
            try await stallable.call()
            stallable.stall()
            let took = try await elapsed {
                let errors = await stallable.failures(
                    10, within: .milliseconds(300), isCallersDeadline: isCallersDeadline)
                #expect(errors.allSatisfy { $0?.code == .deadlineExceeded })
                let isOpen = try await eventually { stallable.opens > 0 }
                #expect(isOpen)
            }
            // The deadline, the grace, and a busy machine.
            #expect(took < .milliseconds(300) + .seconds(2))
            let error = await stallable.failures(1, within: .seconds(5)).first
            #expect(error??.code == .unavailable)
            #expect(error??.retryAfter != nil)
        }
    }

    @Test(
        "SECURITY.md, Load: 150 slow calls of one deadline, answered too late, open no breaker",
        arguments: [false, true], [false, true])
    func slow(isCallersDeadline: Bool, hasBystander: Bool) async throws {
        // The answers of the server, which come before the deadline, are late here.
        let network = ConnectionFaults(downwards: .latency(.milliseconds(150), jitter: .zero))
        try await StallableInstance.run(network) { stallable in
            try await stallable.call()
            stallable.instance.feels(.stuck)
            async let expired = stallable.failures(
                150, within: .milliseconds(1_100), isCallersDeadline: isCallersDeadline)
            if hasBystander {
                for _ in 0..<5 {
                    try await stallable.check()
                    try await Task.sleep(for: .milliseconds(150))
                }
            }
            let codes = await Set(expired.map { $0?.code })
            #expect(codes == [.deadlineExceeded])
            stallable.instance.feels(.well)
            // Past the grace of the last one.
            for _ in 0..<10 {
                try await stallable.call()
                try await Task.sleep(for: .milliseconds(70))
            }
            #expect(stallable.opens == 0)
        }
    }

    @Test("X-06: the probe is the client's own: the breaker closes without any call of a caller")
    func ownProbe() async throws {
        try await StallableInstance.run { stallable in
            try await stallable.call()
            stallable.stall()
            _ = await stallable.failures(10, within: .milliseconds(100))
            #expect(try await eventually { stallable.opens > 0 })
            let before = stallable.instance.calls
            // Calls that come meanwhile are refused; a slow one of them would never be answered.
            stallable.instance.feels(.stuck)
            #expect(await stallable.failures(1, within: .seconds(5)).first??.retryAfter != nil)
            stallable.endStall()
            #expect(try await eventually { stallable.openBreakers == 0 })
            #expect(stallable.instance.calls <= before + 10, "the stalled ones may have come")
            stallable.instance.feels(.well)
            try await stallable.call()
        }
    }

    @Test("X-06: callers' short deadlines while a server restarts do not open its breaker")
    func restart() async throws {
        let port = try deadPort()
        try await Instances.run(0, Instances.Terms(ports: [port])) { fixture in
            for _ in 0..<2 * CircuitBreaker.windowCalls {
                let error = await fixture.failure(
                    timeout: .milliseconds(15), isCallersDeadline: true)
                #expect(error?.code == .deadlineExceeded)
            }
            #expect(fixture.count("rpc_client_breaker_opens") == 0)
            // This program's own deadlines count: it will not wait longer for this server.
            for _ in 0..<CircuitBreaker.windowCalls {
                _ = await fixture.failure(timeout: .milliseconds(15))
            }
            #expect(fixture.count("rpc_client_breaker_opens") > 0)
        }
    }

    @Test("M2: calls that end at a caller's own short deadline never open the breaker")
    func shortDeadlines() async throws {
        try await Instances.run(1) { fixture in
            try await fixture.call()
            fixture.instances[0].feels(.stuck)
            for _ in 0..<2 * CircuitBreaker.windowCalls {
                let error = await fixture.failure(
                    timeout: .milliseconds(20), isCallersDeadline: true)
                #expect(error?.code == .deadlineExceeded)
            }
            #expect(fixture.count("rpc_client_breaker_opens") == 0)
            fixture.instances[0].feels(.well)
            try await fixture.call()
        }
    }

    @Test("an instance whose breaker is open gets no calls while its neighbour serves")
    func neighbour() async throws {
        try await StallableInstance.run(neighbours: 1) { stallable in
            // Both are connected.
            #expect(
                try await eventually {
                    try await stallable.call()
                    return stallable.instance.calls > 0 && stallable.neighbours[0].calls > 0
                })
            stallable.stall()
            #expect(
                try await eventually {
                    _ = await stallable.failures(40, within: .milliseconds(100))
                    return stallable.opens > 0
                })
            for _ in 0..<20 { try await stallable.call() }
        }
    }
}
