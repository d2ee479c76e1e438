import RPC
import TestSupport
import Testing

@Suite("Instances that do not serve", .timeLimit(.minutes(1)))
struct HealthTests {
    private static let clock = ContinuousClock()

    /// Calls all the time until `end`.
    private static func call(_ bench: Instances, until end: ContinuousClock.Instant) async throws {
        while clock.now < end {
            try await bench.call()
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test("issue 3: an unhealthy instance gets no calls within a second, and again when healthy")
    func unhealthy() async throws {
        try await Instances.run(2) { bench in
            try await bench.warmUp()
            let ill = bench.instances[0]
            ill.serves(false)
            let start = Self.clock.now
            try await Self.call(bench, until: start + .milliseconds(1_400))
            let last = try #require(ill.arrivals.last)
            #expect(last - start < .seconds(1))
            let before = ill.calls
            ill.serves(true)
            try await eventually {
                try await bench.call()
                return ill.calls > before
            }
            #expect(bench.log.lines.contains { $0.contains("a peer does not serve") })
        }
    }

    @Test("issue 3: an instance that falls silent gets no calls within a second")
    func silent() async throws {
        try await Instances.run(2) { bench in
            try await bench.warmUp()
            let ill = bench.instances[1]
            ill.isSilent(true)
            let start = Self.clock.now
            try await Self.call(bench, until: start + .milliseconds(1_400))
            let last = try #require(ill.arrivals.last)
            #expect(last - start < .seconds(1))
        }
    }

    @Test("where no instance says that it serves, all are called all the same")
    func panic() async throws {
        try await Instances.run(2) { bench in
            for instance in bench.instances { instance.serves(false) }
            try await bench.call()
            try await Task.sleep(for: .milliseconds(600))  // every one has said so by then
            let before = bench.instances.map(\.calls)
            for _ in 0..<10 { try await bench.call() }
            for (instance, before) in zip(bench.instances, before) {
                #expect(instance.calls - before == 5)
            }
        }
    }

    @Test("an instance that is gone costs its neighbour's callers nothing")
    func gone() async throws {
        try await Instances.run(1, Instances.Terms(ports: [try deadPort()])) { bench in
            try await bench.call()
            let took = try await elapsed { for _ in 0..<50 { try await bench.call() } }
            #expect(took < .seconds(1))
        }
    }

    @Test("calls go round among those that serve")
    func round() async throws {
        try await Instances.run(3) { bench in
            try await bench.warmUp()
            var names: [String] = []
            for _ in 0..<30 { names.append(try await bench.call()) }
            for start in 0..<28 { #expect(Set(names[start..<start + 3]).count == 3) }
        }
    }
}
