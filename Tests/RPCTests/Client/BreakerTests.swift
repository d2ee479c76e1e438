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
            #expect(fixture.count("rpc_client_breaker_opens") == 1)
            #expect(try Self.isOpen(fixture, port: port) == 1)

            let instance = Instance("back")
            let server = try await Instances.serve(instance, port: port, group: fixture.group)
            #expect(try await eventually { await fixture.failure() == nil })
            #expect(try Self.isOpen(fixture, port: port) == 0)
            #expect(fixture.log.lines.contains { $0.contains("rpc.circuit.closed") })
            await server.drain()
        }
    }

    @Test("Protos/README.md, Client: ten calls that exceed their deadline open the breaker")
    func silent() async throws {
        try await Instances.run(1) { fixture in
            try await fixture.call()
            fixture.instances[0].feels(.stuck)
            await withTaskGroup(of: Void.self) { calls in
                for _ in 0..<10 {
                    calls.addTask {
                        let error = await fixture.failure(timeout: .milliseconds(300))
                        #expect(error?.code == .deadlineExceeded)
                    }
                }
            }
            let error = await fixture.failure()
            #expect(error?.code == .unavailable)
            // The breaker's own error: the stuck instance would return none.
            #expect(error?.retryAfter != nil)
            #expect(fixture.instances[0].calls <= 11)
            fixture.instances[0].feels(.well)
            #expect(try await eventually { await fixture.failure() == nil })
        }
    }

    @Test("M2: calls that end at a caller's own short deadline never open the breaker")
    func shortDeadlines() async throws {
        try await Instances.run(1) { fixture in
            try await fixture.call()
            fixture.instances[0].feels(.stuck)
            for _ in 0..<2 * CircuitBreaker.windowCalls {
                let context = CallContext(
                    deadline: SystemTime().uptime() + .milliseconds(20),
                    isCallersDeadline: true)
                await #expect(throws: ServiceError.self) {
                    let _: Instance.Response = try await fixture.client.call(
                        Instance.plain, Instance.Request(), context)
                }
            }
            #expect(fixture.count("rpc_client_breaker_opens") == 0)
            fixture.instances[0].feels(.well)
            try await fixture.call()
        }
    }

    @Test("a watch is never the probe, since it may last for days and would block other calls")
    func follower() async throws {
        try await Instances.run(1) { fixture in
            let instance = fixture.instances[0]
            try await fixture.call()
            instance.feels(.stuck)
            instance.isSilent(true)
            #expect(
                try await eventually {
                    _ = await fixture.failure(timeout: .milliseconds(50))
                    return fixture.count("rpc_client_breaker_opens") == 1
                })
            instance.feels(.well)
            let follower = Task {
                while !Task.isCancelled {
                    let context = fixture.client.context(timeout: .seconds(60))
                    let items = HealthClient(fixture.client).watch(HealthV1.CheckRequest(), context)
                    // While the breaker is open the watch fails at once. Later it lasts and
                    // receives nothing.
                    _ = try? await items.first { _ in false }
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            defer { follower.cancel() }
            try await Task.sleep(for: CircuitBreaker.firstWait + .milliseconds(200))
            #expect(try await eventually { await fixture.failure() == nil })
        }
    }

    @Test("an instance whose breaker is open gets no calls while its neighbour serves")
    func neighbour() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            let stuck = fixture.instances[0]
            stuck.feels(.stuck)
            #expect(
                try await eventually {
                    _ = await fixture.failure(timeout: .milliseconds(50))
                    return fixture.count("rpc_client_breaker_opens") == 1
                })
            let before = stuck.calls
            for _ in 0..<20 { #expect(await fixture.failure() == nil) }
            #expect(stuck.calls == before)
        }
    }
}
