import Messages
import RPC
import TestSupport
import Testing

@Suite("Health checks of instances", .timeLimit(.minutes(1)))
struct HealthTests {
    private static let clock = ContinuousClock()

    /// Makes calls until `end`.
    private static func call(_ fixture: Instances, until end: ContinuousClock.Instant) async throws
    {
        while clock.now < end {
            try await fixture.call()
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test("Protos/README.md, Client: calls to an instance that is not serving stop within a second")
    func unhealthy() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            let ill = fixture.instances[0]
            let last = try await quickest(under: .seconds(1)) {
                ill.serves(true)
                try await fixture.warmUp()
                return try await Self.lastCall(fixture, of: ill) { ill.serves(false) }
            }
            #expect(last < .seconds(1))
            let before = ill.calls
            ill.serves(true)
            #expect(
                try await eventually {
                    try await fixture.call()
                    return ill.calls > before
                })
            #expect(fixture.log.lines.contains { $0.contains("rpc.peer.not_serving") })
        }
    }

    @Test("Protos/README.md, Client: calls to an instance without heartbeats stop within a second")
    func silent() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            let ill = fixture.instances[1]
            let last = try await quickest(under: .seconds(1)) {
                ill.isSilent(false)
                try await fixture.warmUp()
                return try await Self.lastCall(fixture, of: ill) { ill.isSilent(true) }
            }
            #expect(last < .seconds(1))
        }
    }

    /// How long after `change` the instance received its last call.
    private static func lastCall(
        _ fixture: Instances, of ill: Instance, after change: () -> Void
    ) async throws -> Duration {
        let start = clock.now
        change()
        try await call(fixture, until: start + .milliseconds(1_400))
        return try #require(ill.arrivals.last) - start
    }

    @Test("an instance whose heartbeats resume gets calls again within a second")
    func healthyAgain() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            let ill = fixture.instances[1]
            let first = try await quickest(under: .seconds(1)) {
                ill.isSilent(true)
                try await Self.call(fixture, until: Self.clock.now + .milliseconds(1_100))
                let before = ill.calls
                return try await elapsed {
                    ill.isSilent(false)
                    let isCalled = try await eventually {
                        try await fixture.call()
                        return ill.calls > before
                    }
                    #expect(isCalled)
                }
            }
            #expect(first < .seconds(1))
        }
    }

    @Test("an instance without Health/Watch counts as serving")
    func unfollowed() async throws {
        try await Instances.run(1) { fixture in
            let old = Instance("old", reportsHealth: false)
            let server = try await Instances.serve(old, group: fixture.group)
            let client = Instances.client(
                [server.port, fixture.servers[0].port].map { "127.0.0.1:\($0)" },
                group: fixture.group)
            #expect(
                try await eventually {
                    let before = old.calls
                    for _ in 0..<4 { try await fixture.call(client: client) }
                    return old.calls == before + 2 && fixture.instances[0].calls > 0
                })
            client.close()
            await server.drain()
        }
    }

    @Test("watching health does not keep an idle client connected")
    func idle() async throws {
        let listener = try RawListener()
        let terms = Instances.Terms(idleTimeout: .seconds(1), ports: [listener.port])
        try await Instances.run(1, terms) { fixture in
            async let failure = fixture.failure()
            let server = try listener.accept()
            server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
            var followed: UInt64?
            var isCancelled = false
            while let kind = try server.receive() {
                switch kind {
                case .request(let request) where request.method.hasSuffix("Health/Watch"):
                    followed = request.call
                case .request(let request):
                    server.send(.response(WireV1.Response(call: request.call)))
                case .cancel(let cancel): isCancelled = cancel.call == followed
                default: break
                }
            }
            #expect(followed != nil)
            #expect(isCancelled)
            #expect(await failure == nil)
        }
    }

    @Test("if no instance is serving, calls still go to all of them")
    func panic() async throws {
        try await Instances.run(2) { fixture in
            for instance in fixture.instances { instance.serves(false) }
            try await fixture.call()
            #expect(
                try await eventually {
                    fixture.log.lines.filter { $0.contains("rpc.peer.not_serving") }.count == 2
                })
            let before = fixture.instances.map(\.calls)
            for _ in 0..<10 { try await fixture.call() }
            for (instance, before) in zip(fixture.instances, before) {
                #expect(instance.calls - before == 5)
            }
        }
    }

    @Test("an unreachable instance does not slow calls to its neighbour")
    func gone() async throws {
        try await Instances.run(1, Instances.Terms(ports: [try deadPort()])) { fixture in
            try await fixture.call()
            let took = try await elapsed { for _ in 0..<50 { try await fixture.call() } }
            // A single call that waited for the dead port would take the whole connect timeout.
            #expect(took < Instances.Terms().connectTimeout)
        }
    }

    @Test("calls are distributed round-robin over the serving instances")
    func round() async throws {
        try await Instances.run(3) { fixture in
            try await fixture.warmUp()
            // Repeated, since on a stalled machine an instance may have seemed silent for a moment.
            #expect(
                try await eventually {
                    var names: [String] = []
                    for _ in 0..<30 { names.append(try await fixture.call()) }
                    return (0..<28).allSatisfy { Set(names[$0..<$0 + 3]).count == 3 }
                })
        }
    }
}
