import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-25: every mutating call can be repeated", .timeLimit(.minutes(2)))
struct RepeatTests {
    @Test("every method that is not idempotent remembers repeats, and has a row in the table")
    func complete() {
        let mutating = ServiceDescription.ofGateway.flatMap(\.methods).filter { !$0.isIdempotent }
        #expect(mutating.count >= 9)
        #expect(mutating.filter { !$0.remembersRepeats }.map(\.name) == [])
        let methods = Set(mutating.map(\.name))
        let rows = RepeatedCalls.all.map { "postern.gateway.v1.\($0.method)" }
        #expect(methods.subtracting(rows) == [], "no row")
        #expect(Set(rows).subtracting(methods) == [], "no method")
    }

    @Test(
        "the same key twice gives the first response, and nothing is done again",
        arguments: RepeatedCalls.all)
    func again(row: RepeatedCall) async throws {
        try await ProviderFixture.with(rules: TestRules.text) { fixture in
            let gateway = fixture.gateway
            let call = try await row.prepare(fixture).same
            let before = try await gateway.effects()
            let first = try await call(RepeatFixture(gateway), gateway.context("k"))
            let after = try await gateway.effects()
            #expect(after != before, "the first call had no visible effect")
            gateway.time.advance(by: .seconds(5))
            // Another gateway instance, which has nothing of the first one's memory.
            let second = try await call(RepeatFixture(gateway), gateway.context("k"))
            #expect(second == first)
            #expect(try await gateway.effects() == after)
        }
    }

    @Test(
        "the same key for another user's call gives auth/idempotency-key-reused and does nothing",
        arguments: RepeatedCalls.all)
    func reused(row: RepeatedCall) async throws {
        try await ProviderFixture.with(rules: TestRules.text) { fixture in
            let gateway = fixture.gateway
            let calls = try await row.prepare(fixture)
            let instance = try RepeatFixture(gateway)
            _ = try await calls.same(instance, gateway.context("k"))
            let after = try await gateway.effects()
            let error = try await refusal { try await calls.other(instance, gateway.context("k")) }
            #expect(error.code == .idempotencyKeyReused)
            #expect(try await gateway.effects() == after)
            // The other call is valid under its own key.
            _ = try await calls.other(instance, gateway.context("l"))
        }
    }

    @Test(
        "a call interrupted at any step is completed by its repeat, and everything is done once",
        arguments: RepeatedCalls.all)
    func cutOff(row: RepeatedCall) async throws {
        let (steps, whole) = try await Self.run(row, cut: nil)
        #expect(!steps.isEmpty)
        for (index, step) in steps.enumerated() {
            let number = steps[...index].count { $0.name == step.name }
            for doesIt in step.isIdempotent ? [false] : [false, true] {
                let cut = InnerWire.Cut(method: step.name, call: number, doesIt: doesIt)
                let (_, effects) = try await Self.run(row, cut: cut)
                #expect(effects == whole, "\(step.name), \(doesIt ? "done" : "not done")")
            }
        }
    }

    /// Returns the calls made to the inner services, and the effects of a call and its repeat when
    /// one of its steps is lost.
    private static func run(
        _ row: RepeatedCall, cut: InnerWire.Cut?
    ) async throws -> (steps: [MethodDescription], effects: [Int64]) {
        var done: (steps: [MethodDescription], effects: [Int64]) = ([], [])
        try await ProviderFixture.with(rules: TestRules.text) { fixture in
            let gateway = fixture.gateway
            let calls = try await row.prepare(fixture)
            let instance = try RepeatFixture(gateway, cut: cut)
            do {
                _ = try await calls.same(instance, gateway.context("k"))
            } catch let error as ServiceError where cut != nil {
                #expect(error.code.entry.isRetryable, "\(error.code) is not retryable")
            }
            // Some limits require a wait between two attempts.
            gateway.time.advance(by: .seconds(5))
            if cut != nil { _ = try await calls.same(RepeatFixture(gateway), gateway.context("k")) }
            done = (instance.calls, try await gateway.effects())
        }
        return done
    }

    @Test(
        "after 23 h 59 min a repeat still gives the first response, and nothing is done again",
        arguments: RepeatedCalls.all)
    func late(row: RepeatedCall) async throws {
        try await Self.wait(.seconds(24 * 3_600 - 60), after: row) { gateway, first, late in
            let before = try await gateway.effects()
            let again = try await late(RepeatFixture(gateway), gateway.context("k"))
            #expect(RepeatedCall.afterADay(again) == RepeatedCall.afterADay(first))
            #expect(try await gateway.effects() == before)
        }
    }

    @Test(
        "after 24 hours the key is forgotten and the call is executed as a new one",
        arguments: RepeatedCalls.all)
    func afterwards(row: RepeatedCall) async throws {
        try await Self.wait(.seconds(24 * 3_600 + 60), after: row) { gateway, _, late in
            let before = try await gateway.effects()
            switch row.afterwards {
            case .refused(let code):
                let error = try await refusal {
                    try await late(RepeatFixture(gateway), gateway.context("k"))
                }
                #expect(error.code == code)
            case .acts:
                _ = try await late(RepeatFixture(gateway), gateway.context("k"))
                #expect(try await gateway.effects() != before)
            case .nothing:
                _ = try await late(RepeatFixture(gateway), gateway.context("k"))
                #expect(try await gateway.effects() == before)
            }
        }
    }

    /// Makes a row's call, waits, and passes on its response and the late repeat.
    private static func wait(
        _ duration: Duration, after row: RepeatedCall,
        _ check: (GatewayFixture, _ first: String, _ late: RepeatedCall.Call) async throws -> Void
    ) async throws {
        try await ProviderFixture.with(rules: TestRules.text) { fixture in
            let gateway = fixture.gateway
            let calls = try await row.prepare(fixture)
            let first = try await calls.same(RepeatFixture(gateway), gateway.context("k"))
            _ = try await gateway.effects()
            gateway.time.advance(by: duration)
            try await check(gateway, first, calls.late())
        }
    }

    @Test("a response is stored for 24 hours and no longer")
    func retention() async throws {
        let gateway = try await GatewayFixture()
        _ = try await gateway.signUp()
        gateway.time.advance(by: .seconds(1))
        let first = try await gateway.signIn(in: gateway.context("k"))
        gateway.time.advance(by: .seconds(24 * 3_600 - 1))
        let again = try await gateway.signIn(in: gateway.context("k"))
        #expect(again.session.sessionId == first.session.sessionId)
        #expect(again.account == first.account)
        gateway.time.advance(by: .seconds(1))
        let new = try await gateway.signIn(in: gateway.context("k"))
        #expect(new.session.sessionId != first.session.sessionId)
    }
}
