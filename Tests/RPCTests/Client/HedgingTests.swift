import Contracts
import RPC
import Testing

@Suite("Hedging", .timeLimit(.minutes(1)))
struct HedgingTests {
    @Test("a slow instance's calls are answered by the other one, and told to stop")
    func slow() async throws {
        try await Instances.run(2) { bench in
            try await bench.warmUp()
            bench.instances[0].feels(.stuck)
            for _ in 0..<4 {
                // The other one never answers.
                let name = try await bench.call(Instance.hedged)
                #expect(name == "1")
            }
            // On a slow machine a quick instance's call may have been hedged as well.
            #expect(bench.count("rpc_client_hedges") >= 2)
            await bench.instances[0].gate.cancelled(2)
            #expect(bench.instances[1].attempts.suffix(4).sorted() == ["", "", "2", "2"])
        }
    }

    @Test("a validation that one instance lets wait is answered by the other")
    func read() async throws {
        try await Instances.run(2) { bench in
            try await bench.warmUp()
            bench.instances[0].feels(.stuck)
            for _ in 0..<2 { #expect(try await bench.call(Instance.read) == "1") }
            #expect(bench.count("rpc_client_hedges") >= 1)
        }
    }

    @Test("the reads that somebody waits for are hedged, and each may be sent twice")
    func reads() {
        for method in [
            SessionsDescription.validate, SessionsDescription.inspect, SessionsDescription.keySet,
            AuthDescription.checkAuthState, VerificationDescription.keySet,
            AccountSessionsDescription.listSessions, DevicesDescription.list,
            AccountsDescription.getAccount, LimitsDescription.peek,
        ] {
            #expect(method.hedgeAfter == .milliseconds(100) && method.isIdempotent, "\(method)")
        }
    }

    @Test("calls that are answered in time, and methods not marked for it, are sent once")
    func once() async throws {
        try await Instances.run(2) { bench in
            try await bench.warmUp()
            let before = bench.instances.map(\.calls).reduce(0, +)
            for _ in 0..<50 { try await bench.call(Instance.hedgedLate) }
            for instance in bench.instances { instance.feels(.slow(.milliseconds(60))) }
            try await bench.call(Instance.repeatable)
            #expect(bench.instances.map(\.calls).reduce(0, +) - before == 51)
            #expect(bench.count("rpc_client_hedges") == 0)
        }
    }

    @Test("where all are slow, the budget ends the hedges: load grows by a tenth, not twofold")
    func budget() async throws {
        try await Instances.run(2) { bench in
            try await bench.warmUp()
            let before = bench.instances.map(\.calls).reduce(0, +)
            for instance in bench.instances { instance.feels(.stuck) }
            try await withThrowingTaskGroup(of: Void.self) { calls in
                for _ in 0..<100 {
                    calls.addTask { #expect(await bench.failure(Instance.hedged) == nil) }
                }
                try await eventually {
                    bench.instances.map(\.calls).reduce(0, +) - before == 106
                }
                // Every call's moment to be hedged is over before one is answered, which earns.
                try await Task.sleep(for: .milliseconds(200))
                for instance in bench.instances { instance.gate.open() }
                try await calls.waitForAll()
            }
            // Ten tokens are there, each hedge takes one, and below five there is none.
            #expect(bench.count("rpc_client_hedges") == 6)
            #expect(bench.instances.map(\.calls).reduce(0, +) - before == 106)
        }
    }

    @Test("with one instance there is nowhere to hedge to")
    func alone() async throws {
        try await Instances.run(1) { bench in
            bench.instances[0].feels(.slow(.milliseconds(60)))
            try await bench.call(Instance.hedged)
            #expect(bench.instances[0].calls == 1)
        }
    }
}
