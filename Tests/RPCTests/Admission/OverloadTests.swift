import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@Suite("A full server, over TCP", .timeLimit(.minutes(1)))
struct OverloadTests {
    private func limits(
        _ runningMax: Int, queueMax: Int, costlyMax: Int = 256
    ) -> Loopback.Limits {
        Loopback.Limits().with {
            $0.runningMax = runningMax
            $0.queueMax = queueMax
            $0.costlyRunningMax = costlyMax
        }
    }

    /// Returns once `count` calls wait at the server.
    private func waiting(_ count: Int, in server: RPCServer) async throws {
        let isReached = try await eventually { server.waitingCount == count }
        try #require(isReached, "\(server.waitingCount) wait")
    }

    /// A peer whose first call runs and whose next `count` calls wait.
    private func waiters(_ count: Int, _ loopback: Loopback) async throws -> RawPeer {
        let peer = try RawPeer.greeted(port: loopback.server.port)
        peer.send(1, EchoService.gated, "1")
        await loopback.gate.entered(1)
        for call in 2..<2 + count { peer.send(UInt64(call), EchoService.gated, "\(call)") }
        try await waiting(count, in: loopback.server)
        return peer
    }

    @Test("Protos/README.md, Call: above the limit a call waits and runs when another has ended")
    func waits() async throws {
        try await Loopback.run(limits: limits(1, queueMax: 10)) { loopback in
            let peer = try await waiters(2, loopback)
            #expect(loopback.server.runningCount == 1)
            loopback.gate.open()
            for (call, response) in try peer.responses(1...3) {
                #expect(response.status == 0)
                #expect(
                    try EchoService.Response(decoding: response.payload).sessionId == "\(call)")
            }
            #expect(loopback.server.runningCount == 0)
            #expect(loopback.server.waitingCount == 0)
        }
    }

    @Test("Protos/README.md, Call: a full queue rejects a call as not processed, with retry_after")
    func refused() async throws {
        try await Loopback.run(limits: limits(1, queueMax: 2)) { loopback in
            let peer = try await waiters(2, loopback)
            peer.send(4, EchoService.gated)
            // The fourth; or the second, if the queue has not drained for 100 ms by then.
            let refusal = try #require(try peer.responses(2...4, count: 1).values.first)
            #expect(refusal.error?.code == "rpc/resource-exhausted")
            #expect(refusal.notProcessed)
            #expect((100...10_000).contains(refusal.error?.retryAfterMs ?? 0))
            // On-loop methods never wait and are still served.
            try await loopback.expectEcho(EchoService.onLoop, "at once")
            loopback.gate.open()
            #expect(try peer.responses(2...4, count: 2).values.allSatisfy { $0.status == 0 })
        }
    }

    @Test("a cancelled call leaves the queue and never runs")
    func cancelled() async throws {
        try await Loopback.run(limits: limits(1, queueMax: 1)) { loopback in
            let peer = try await waiters(1, loopback)
            peer.send(.cancel(WireV1.Cancel(call: 2)))
            #expect(try peer.response(2).error?.code == "rpc/cancelled")
            try await waiting(0, in: loopback.server)
            peer.send(3, EchoService.gated, "3")
            try await waiting(1, in: loopback.server)
            loopback.gate.open()
            #expect(try peer.response(3).status == 0)
            await loopback.gate.entered(2)
            #expect(loopback.gate.enteredCount == 2)
            #expect(loopback.server.runningCount == 0)
        }
    }

    @Test("a call whose deadline passes in the queue fails at that time and never runs")
    func overdue() async throws {
        try await Loopback.run(limits: limits(1, queueMax: 2)) { loopback in
            let peer = try await waiters(0, loopback)
            peer.send(2, EchoService.gated, timeout: 200)
            #expect(try peer.response(2).error?.code == "rpc/deadline-exceeded")
            #expect(loopback.server.waitingCount == 0)
            loopback.gate.open()
            #expect(try peer.response(1).status == 0)
            #expect(loopback.gate.enteredCount == 1)
        }
    }

    @Test("calls of a lost connection leave the queue")
    func lost() async throws {
        try await Loopback.run(limits: limits(1, queueMax: 5)) { loopback in
            var peer: RawPeer? = try await waiters(5, loopback)
            #expect(peer != nil)
            peer = nil
            try await waiting(0, in: loopback.server)
            try await loopback.expectEcho(EchoService.async, "free")
        }
    }

    @Test("a queued request that does not decode fails and frees its place")
    func broken() async throws {
        try await Loopback.run(limits: limits(1, queueMax: 5)) { loopback in
            let peer = try await waiters(0, loopback)
            peer.send(
                .request(
                    WireV1.Request(call: 2, method: EchoService.gated.name, payload: [0xff])))
            try await waiting(1, in: loopback.server)
            loopback.gate.open()
            #expect(try peer.response(2).error?.code == "rpc/invalid-argument")
            #expect(loopback.server.runningCount == 0)
        }
    }

    @Test("Protos/README.md, Connection 4: a draining server serves the calls that already waited")
    func draining() async throws {
        try await Loopback.run(limits: limits(1, queueMax: 5)) { loopback in
            let peer = try await waiters(3, loopback)
            async let drained: Void = loopback.server.drain()
            while case let kind? = try peer.receive() { if case .goAway = kind { break } }
            loopback.gate.open()
            for response in try peer.responses(1...4).values { #expect(response.status == 0) }
            #expect(try peer.receive() == nil)
            await drained
        }
    }

    @Test("Protos/README.md, Call: an operator's call gets through when all others are rejected")
    func admin() async throws {
        let limits = limits(0, queueMax: 0).with { $0.adminApplications = [] }
        try await Loopback.run(limits: limits) { loopback in
            let error = try await loopback.failure(EchoService.async)
            #expect(error?.code == .resourceExhausted)
        }
        let open = limits.with { $0.adminApplications = [TestKey.application] }
        try await Loopback.run(limits: open) { loopback in
            try await loopback.expectEcho(EchoService.async, "tool")
        }
    }

    @Test("SECURITY.md, Load: 500 costly calls leave capacity for other calls")
    func costly() async throws {
        let limits = limits(100, queueMax: 50, costlyMax: 20)
        try await Loopback.run(limits: limits, loops: 2) { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            for call in 1...500 { peer.send(UInt64(call), EchoService.costly, "slow") }
            // 20 run, 50 wait, and the others are rejected at once.
            for _ in 0..<430 {
                guard case .response(let refusal) = try peer.receive() else { continue }
                #expect(refusal.notProcessed)
                #expect((refusal.error?.retryAfterMs ?? 0) >= 100)
            }
            #expect(loopback.server.runningCount == 20)
            #expect(loopback.server.waitingCount == 50)
            for call in 1...200 { try await loopback.expectEcho(EchoService.async, "\(call)") }
            #expect(loopback.server.runningCount == 20)
        }
    }

    @Test(
        "no wake-up is lost between event loops, and the limit of running calls holds",
        arguments: [1, 3])
    func wakeUps(runningMax: Int) async throws {
        let rush = Rush()
        let limits = limits(runningMax, queueMax: 1_000)
        let rounds = SoakRounds.isLong ? 1_000 : 100
        try await rush.run(limits: limits.server, loops: 4) { call in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        var shed = 0
                        for _ in 0..<rounds where try await !call() { shed += 1 }
                        return shed
                    }
                }
                // A slow machine may shed some, but each call ended in time in one of both ways.
                let shed = try await group.reduce(0, +)
                #expect(shed < 64 * rounds / 2)
            }
        }
        #expect(rush.mostAtOnce <= runningMax)
        #expect(rush.atOnce == 0)
    }
}
