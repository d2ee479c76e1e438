import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Testing

@Suite("Stopping and restarting over TCP", .timeLimit(.minutes(1)))
struct DrainTests {
    @Test("Protos/README.md, Connection 4: a drain finishes running calls and rejects later ones")
    func drain() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            for call in 1...3 { peer.send(UInt64(call), EchoService.gated, "\(call)") }
            await loopback.gate.entered(3)
            async let drained: Void = loopback.server.drain()
            guard case .goAway(let goAway) = try peer.receive() else {
                Issue.record("no GoAway")
                return
            }
            #expect(goAway.reason == .draining)
            #expect(goAway.lastCall == 3)
            peer.send(4, EchoService.onLoop)
            let refusal = try peer.response(4)
            #expect(refusal.error?.code == "rpc/unavailable")
            #expect(refusal.notProcessed)
            loopback.gate.open()
            var answered: Set<UInt64> = []
            while case .response(let response) = try peer.receive() {
                #expect(response.status == 0)
                answered.insert(response.call)
            }
            #expect(answered == [1, 2, 3])
            peer.shutDown()
            await drained
            #expect(loopback.server.runningCount == 0)
        }
    }

    @Test("a drain without running calls ends at once, with or without greeted peers")
    func idle() async throws {
        try await Loopback.run { loopback in
            try await loopback.expectEcho(EchoService.onLoop, "a client")
            let stranger = try RawPeer(port: loopback.server.port)
            try stranger.greet()
            let clock = ContinuousClock()
            let started = clock.now
            async let drained: Void = loopback.server.drain()
            #expect(try stranger.goAway() == .draining)
            stranger.shutDown()
            await drained
            #expect(started.duration(to: clock.now) < .seconds(2))
        }
    }

    @Test("a request that crosses the drain does not reset the connection: the GoAway is read")
    func crossing() async throws {
        for _ in 0..<20 {
            try await Loopback.run { loopback in
                let peer = try RawPeer.greeted(port: loopback.server.port)
                peer.send(1, EchoService.onLoop)
                #expect(try peer.response(1).status == 0)
                async let drained: Void = loopback.server.drain()
                for call in 2...200 { peer.send(UInt64(call), EchoService.onLoop) }
                var last: UInt64?
                var served: Set<UInt64> = []
                while let kind = try peer.receive() {
                    if case .goAway(let goAway) = kind { last = goAway.lastCall }
                    if case .response(let response) = kind, !response.notProcessed {
                        served.insert(response.call)
                    }
                }
                let lastCall = try #require(last)
                #expect(served == Set((2...200).prefix { $0 <= lastCall }))
                peer.shutDown()
                await drained
            }
        }
    }

    @Test("Protos/README.md, Client: a server that restarts on its port is called again")
    func restart() async throws {
        try await Loopback.run { loopback in
            let port = loopback.server.port
            try await loopback.expectEcho(EchoService.onLoop, "before")
            for round in 0..<3 {
                if round == 0 { await loopback.server.drain() }
                let next = try await Loopback.server(
                    loopback.echo, port: port, group: loopback.group)
                let texts = try await loopback.callAll("round \(round)")
                #expect(texts == Set((0..<20).map { "round \(round) \($0)" }))
                await next.drain()
            }
        }
    }

    @Test(
        "Protos/README.md, Client: a call without a listening server waits until one is back")
    func waits() async throws {
        try await Loopback.run { loopback in
            let port = loopback.server.port
            await loopback.server.drain()
            async let answer = loopback.call(EchoService.async, "patient")
            try await Task.sleep(for: .milliseconds(150))  // the first attempt has failed by then
            let next = try await Loopback.server(loopback.echo, port: port, group: loopback.group)
            let text = try await answer
            #expect(text == "patient")
            await next.drain()
        }
    }

    @Test(
        "Protos/README.md, Client: without a server a call fails as unavailable or at its deadline")
    func nobody() async throws {
        let listener = try RawListener()
        try await Loopback.run { loopback in
            let client = Loopback.client(port: listener.port, group: loopback.group)
            // The kernel accepts the connection, but no Hello arrives.
            #expect(await loopback.outcome(of: client) == .unavailable)
            #expect(
                await loopback.outcome(of: client, timeout: .milliseconds(100))
                    == .deadlineExceeded)
            client.close()
        }
    }

    @Test(
        "Protos/README.md, Client: a lost connection fails a call that may have begun")
    func lost() async throws {
        let listener = try RawListener()
        try await Loopback.run { loopback in
            let client = Loopback.client(port: listener.port, group: loopback.group)
            async let outcome = loopback.outcome(of: client, EchoService.async)
            try Self.serveOnce(listener) { _ in }
            #expect(await outcome == .unavailable)
            client.close()
        }
    }

    @Test("Protos/README.md, Client: an idempotent call and one not processed are sent again")
    func resent() async throws {
        let listener = try RawListener()
        try await Loopback.run { loopback in
            for method in [EchoService.repeatable, EchoService.async] {
                let client = Loopback.client(port: listener.port, group: loopback.group)
                async let outcome = loopback.outcome(of: client, method)
                try Self.serveOnce(listener) { server in
                    guard !method.isIdempotent else { return }
                    server.send(.goAway(WireV1.GoAway(lastCall: 0, reason: .draining)))
                }
                try Self.serveOnce(listener) { $0.send(.response(WireV1.Response(call: 1))) }
                #expect(await outcome == nil)
                client.close()
            }
        }
    }

    @Test("Protos/README.md, Connection 4: a closed client rejects calls, and running ones finish")
    func closed() async throws {
        try await Loopback.run { loopback in
            async let running = loopback.call(EchoService.gated, "running")
            await loopback.gate.entered(1)
            loopback.client.close()
            let refused = try await loopback.failure(EchoService.async)
            #expect(refused?.code == .unavailable)
            loopback.gate.open()
            let answer = try await running
            #expect(answer == "running")
        }
    }

    @Test(
        "Protos/README.md, Connection 4: a closing client sends GoAway and ends its connection")
    func goodbye() async throws {
        let listener = try RawListener()
        try await Loopback.run { loopback in
            let client = Loopback.client(port: listener.port, group: loopback.group)
            async let outcome = loopback.outcome(of: client)
            let server = try listener.accept()
            server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
            while let kind = try server.receive() {
                guard case .request = kind else { continue }
                server.send(.response(WireV1.Response(call: 1)))
                break
            }
            #expect(await outcome == nil)
            client.close()
            guard case .goAway(let goAway) = try server.receive() else {
                Issue.record("no GoAway")
                return
            }
            #expect(goAway == WireV1.GoAway(reason: .draining, message: goAway.message))
            #expect(try server.receive() == nil)
        }
    }

    /// Accepts one connection and one request and runs `body`, which answers. The connection closes
    /// when `body` returns or the peer closes it.
    private static func serveOnce(
        _ listener: RawListener, _ body: (RawPeer) throws -> Void
    ) throws {
        let server = try listener.accept()
        server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
        while let kind = try server.receive() {
            guard case .request = kind else { continue }
            return try body(server)
        }
    }
}

extension Loopback {
    /// Makes twenty calls at once and returns the answers.
    fileprivate func callAll(_ text: String) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self) { calls in
            for number in 0..<20 {
                let method = number % 2 == 0 ? EchoService.onLoop : EchoService.async
                calls.addTask { try await call(method, "\(text) \(number)") }
            }
            return try await calls.reduce(into: []) { $0.insert($1) }
        }
    }
}
