import Contracts
import RPC
import TestSupport
import Testing

@Suite("Hedged calls", .timeLimit(.minutes(1)))
struct HedgingTests {
    @Test("a stuck instance's calls are answered by the other one and then cancelled")
    func slow() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            fixture.instances[0].feels(.stuck)
            for _ in 0..<4 {
                // Instance 0 never answers.
                let name = try await fixture.call(Instance.hedged)
                #expect(name == "1")
            }
            // On a slow machine a call to the quick instance may have been hedged as well.
            #expect(fixture.count("rpc_client_hedges") >= 2)
            await fixture.instances[0].gate.cancelled(2)
            #expect(fixture.instances[1].attempts.suffix(4).sorted() == ["", "", "2", "2"])
        }
    }

    @Test("a token validation that hangs at one instance is answered by the other")
    func read() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            fixture.instances[0].feels(.stuck)
            for _ in 0..<2 { #expect(try await fixture.call(Instance.read) == "1") }
            #expect(fixture.count("rpc_client_hedges") >= 1)
        }
    }

    @Test("the reads that a user waits for are hedged, and each is idempotent")
    func reads() {
        for method in [
            SessionsDescription.validateAccessToken, SessionsDescription.inspectSession,
            AuthDescription.checkAuthState, VerificationDescription.getKeySet,
            AccountSessionsDescription.listSessions,
            AccountsDescription.getAccount, LimitsDescription.peek,
        ] {
            #expect(method.hedgeAfter == .milliseconds(100) && method.isIdempotent, "\(method)")
        }
    }

    @Test("calls answered in time and calls of methods without hedging are sent once")
    func once() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            let before = fixture.instances.map(\.calls).reduce(0, +)
            for _ in 0..<50 { try await fixture.call(Instance.hedgedLate) }
            for instance in fixture.instances { instance.feels(.slow(.milliseconds(60))) }
            try await fixture.call(Instance.repeatable)
            #expect(fixture.instances.map(\.calls).reduce(0, +) - before == 51)
            #expect(fixture.count("rpc_client_hedges") == 0)
        }
    }

    @Test("when all instances are slow, the budget limits hedging to a tenth more load")
    func budget() async throws {
        try await Instances.run(2) { fixture in
            try await fixture.warmUp()
            let before = fixture.instances.map(\.calls).reduce(0, +)
            for instance in fixture.instances { instance.feels(.stuck) }
            try await withThrowingTaskGroup(of: Void.self) { calls in
                for _ in 0..<100 {
                    calls.addTask { #expect(await fixture.failure(Instance.hedged) == nil) }
                }
                #expect(
                    try await eventually {
                        fixture.instances.map(\.calls).reduce(0, +) - before == 106
                    })
                // Every call's hedge delay must pass before one is answered, since an answer earns
                // tokens.
                try await Task.sleep(for: .milliseconds(200))
                for instance in fixture.instances { instance.gate.open() }
                try await calls.waitForAll()
            }
            // There are ten tokens, each hedge takes one, and below five no hedge is sent.
            #expect(fixture.count("rpc_client_hedges") == 6)
            #expect(fixture.instances.map(\.calls).reduce(0, +) - before == 106)
        }
    }

    @Test("with one instance no call is hedged")
    func alone() async throws {
        try await Instances.run(1) { fixture in
            fixture.instances[0].feels(.slow(.milliseconds(60)))
            try await fixture.call(Instance.hedged)
            #expect(fixture.instances[0].calls == 1)
        }
    }
}
