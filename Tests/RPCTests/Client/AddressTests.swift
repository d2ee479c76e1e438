import Messages
import NIOCore
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

/// A resolver that returns the ports that the test set.
private final class ScriptedResolver: HostResolver {
    struct Nothing: Error {}

    private let state = Mutex((ports: [Int](), lookups: 0))

    var lookups: Int { state.withLock { $0.lookups } }

    func says(_ ports: [Int]) { state.withLock { $0.ports = ports } }

    func addresses(
        of target: ServiceAddress, on loop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        let ports = state.withLock { state in
            state.lookups += 1
            return state.ports
        }
        guard !ports.isEmpty else { return loop.makeFailedFuture(Nothing()) }
        return loop.makeCompletedFuture {
            try ports.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0) }
        }
    }
}

@Suite("Name resolution and reconnection of a client", .timeLimit(.minutes(1)))
struct AddressTests {
    @Test("Protos/README.md, Client: a name is looked up again when a connection is lost")
    func lookedUp() async throws {
        let resolver = ScriptedResolver()
        try await Instances.run(2) { fixture in
            let client = Instances.client(["x.test:1"], group: fixture.group, resolver: resolver)
            resolver.says([fixture.servers[0].port])
            for _ in 0..<20 {
                let name = try await fixture.call(client: client)
                #expect(name == "0")
            }
            #expect(resolver.lookups == 1)
            resolver.says([fixture.servers[1].port])
            try await Task.sleep(for: ClientTargetFigures.lookUpFloor)
            await fixture.servers[0].drain()
            #expect(try await eventually { try await fixture.call(client: client) == "1" })
            #expect(resolver.lookups >= 2)
            client.close()
        }
    }

    @Test("a client calls all addresses of a name")
    func several() async throws {
        let resolver = ScriptedResolver()
        try await Instances.run(2) { fixture in
            resolver.says(fixture.servers.map(\.port))
            let client = Instances.client(["x.test:1"], group: fixture.group, resolver: resolver)
            let areCalled = try await eventually {
                try await fixture.call(client: client)
                return fixture.instances.allSatisfy { $0.calls > 0 }
            }
            #expect(areCalled)
            client.close()
        }
    }

    @Test("a name that does not resolve is looked up again while calls wait")
    func unresolved() async throws {
        let resolver = ScriptedResolver()
        try await Instances.run(1) { fixture in
            let client = Instances.client(["x.test:1"], group: fixture.group, resolver: resolver)
            async let name = fixture.call(client: client)
            #expect(try await eventually { resolver.lookups > 1 })
            resolver.says([fixture.servers[0].port])
            let answered = try await name
            #expect(answered == "0")
            client.close()
        }
    }

    @Test("without any address a call fails as unavailable when its connect timeout is over")
    func none() async throws {
        try await Instances.run(0, Instances.Terms(connectTimeout: .milliseconds(80))) { fixture in
            #expect(await fixture.failure()?.code == .unavailable)
        }
    }

    @Test("the system's resolver resolves localhost and 127.0.0.1")
    func system() async throws {
        try await Instances.run(1) { fixture in
            for host in ["localhost", "127.0.0.1"] {
                let client = Instances.client(
                    ["\(host):\(fixture.servers[0].port)"], group: fixture.group)
                let name = try await fixture.call(client: client)
                #expect(name == "0")
                client.close()
            }
        }
    }

    @Test("an idle connection is closed, and the next call opens a new one")
    func idle() async throws {
        let listener = try RawListener()
        let terms = Instances.Terms(idleTimeout: .milliseconds(100), ports: [listener.port])
        try await Instances.run(0, terms) { fixture in
            for _ in 0..<2 {
                async let failure = fixture.failure()
                let server = try listener.accept()
                server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
                try Self.answer(server)
                #expect(await failure == nil)
                #expect(try server.receive() == nil)
            }
        }
    }

    @Test("Protos/README.md, Client: a client reconnects no earlier than GoAway's retry_after_ms")
    func goAway() async throws {
        let listener = try RawListener()
        let terms = Instances.Terms(connectTimeout: .seconds(4), ports: [listener.port])
        try await Instances.run(0, terms) { fixture in
            async let failure = fixture.failure()
            let first = try listener.accept()
            first.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
            let clock = ContinuousClock()
            let start = clock.now
            first.send(.goAway(WireV1.GoAway(reason: .draining, retryAfterMs: 700)))
            let second = try listener.accept()
            #expect(clock.now - start > .milliseconds(650))
            second.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
            try Self.answer(second)
            #expect(await failure == nil)
        }
    }

    @Test("a client reconnects at once to a server that answered and then drains")
    func fresh() async throws {
        let listener = try RawListener()
        try await Instances.run(0, Instances.Terms(ports: [listener.port])) { fixture in
            let clock = ContinuousClock()
            let shortestRest = Duration.milliseconds(80)
            var (next, quickest): (RawPeer?, Duration) = (nil, .seconds(10))
            // The best of several runs, since a busy machine may take that long.
            for _ in 0..<8 where quickest >= shortestRest {
                async let failure = fixture.failure()
                let server = try next ?? listener.accept()
                server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
                try Self.answer(server)
                #expect(await failure == nil)
                let start = clock.now
                server.send(.goAway(WireV1.GoAway(lastCall: 1, reason: .draining)))
                next = try listener.accept()
                quickest = min(quickest, clock.now - start)
            }
            #expect(quickest < shortestRest)
        }
    }

    /// Answers the next request.
    private static func answer(_ server: RawPeer) throws {
        while let kind = try server.receive() {
            guard case .request(let request) = kind else { continue }
            server.send(.response(WireV1.Response(call: request.call)))
            return
        }
    }
}
