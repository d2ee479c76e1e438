import Contracts
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

/// Each request of `PublicCalls` whose method remembers repeats, made by new people at a gateway.
/// So a new method needs no line here.
@Suite("G-25: every mutating call can be repeated", .timeLimit(.minutes(5)))
struct RepeatTests {
    private static let calls = Dictionary(
        uniqueKeysWithValues: PublicCalls.all.filter { $0.method.remembersRepeats }
            .map { ($0.name, $0) })
    private static let names = calls.keys.sorted()

    /// Calls that do not look at the key, and why.
    private static let unkeyed = [
        "AccountSessions/Reauthenticate, device key":
            "a signature is recognised by itself, and a new one is another proof"
    ]
    private static let keyed = names.filter { unkeyed[$0] == nil }

    /// Runs `test` with a call and a fixture in which its people can be prepared.
    private static func with(
        _ name: String, _ test: (ProviderFixture, PublicCall) async throws -> Void
    ) async throws {
        let call = try #require(calls[name])
        try await ProviderFixture.withPeople { try await test($0, call) }
    }

    @Test("every method that is not idempotent remembers repeats, and each that does has a request")
    func complete() {
        let methods = ServiceDescription.ofGateway.flatMap(\.methods)
        let mutating = methods.filter { !$0.isIdempotent }
        #expect(mutating.count >= 9)
        #expect(mutating.filter { !$0.remembersRepeats }.map(\.name) == [])
        let requested = Self.calls.values.map(\.method)
        #expect(
            Set(methods.filter(\.remembersRepeats)).subtracting(requested).map(\.name).sorted()
                == [])
        #expect(Set(Self.unkeyed.keys).subtracting(Self.names) == [], "no such call")
    }

    @Test(
        "the same key twice gives the first response, and nothing is done again", arguments: names)
    func again(name: String) async throws {
        try await Self.with(name) { fixture, call in
            let gateway = fixture.gateway
            let ada = try await PreparedPerson(0, fixture, calling: call)
            let request = try await ada.messages(of: call)
            let before = try await gateway.effects()
            let first = try await RepeatFixture(gateway).send(call, request, by: ada)
            let after = try await gateway.effects()
            #expect(after != before, "the first call had no visible effect")
            gateway.time.advance(by: .seconds(5))
            // Another gateway instance, which has nothing of the first one's memory.
            let second = try await RepeatFixture(gateway).send(call, request, by: ada)
            #expect(second == first)
            let last = try await gateway.effects()
            #expect(last == after)
        }
    }

    /// Attack: somebody guesses or has seen a person's key, and would get that person's answer.
    @Test(
        "the same key for another user's call gives auth/idempotency-key-reused and does nothing",
        arguments: keyed)
    func reused(name: String) async throws {
        try await Self.with(name) { fixture, call in
            let gateway = fixture.gateway
            let ada = try await PreparedPerson(0, fixture, calling: call)
            let eve = try await PreparedPerson(1, fixture, calling: call)
            let requests = (
                ada: try await ada.messages(of: call),
                eve: try await eve.with(key: ada.key).messages(of: call)
            )
            let instance = try RepeatFixture(gateway)
            _ = try await instance.send(call, requests.ada, by: ada)
            let after = try await gateway.effects()
            let error = try await refusal {
                try await instance.send(call, requests.eve, by: eve.with(key: ada.key))
            }
            #expect(error.code == .idempotencyKeyReused)
            #expect(try await gateway.effects() == after)
            // The call is valid under its own key.
            _ = try await instance.send(call, eve.messages(of: call), by: eve)
        }
    }

    @Test(
        "a call that does not look at the key is made under another user's",
        arguments: unkeyed.keys.sorted())
    func anyKey(name: String) async throws {
        try await Self.with(name) { fixture, call in
            let gateway = fixture.gateway
            let ada = try await PreparedPerson(0, fixture, calling: call)
            let eve = try await PreparedPerson(1, fixture, calling: call, key: ada.key)
            let instance = try RepeatFixture(gateway)
            _ = try await instance.send(call, ada.messages(of: call), by: ada)
            let request = try await eve.messages(of: call)
            let before = try await gateway.effects()
            _ = try await instance.send(call, request, by: eve)
            #expect(try await gateway.effects() != before)
        }
    }

    @Test(
        "a call interrupted at any step is completed by its repeat, and everything is done once",
        arguments: names)
    func cutOff(name: String) async throws {
        try await Self.with(name) { fixture, call in
            let (steps, whole) = try await Self.run(call, by: 0, fixture, cut: nil)
            #expect(!steps.isEmpty)
            var person = 0
            for (index, step) in steps.enumerated() {
                let number = steps[...index].count { $0.name == step.name }
                // Twice such a step is as good as once.
                let mayRepeat = step.isIdempotent && !step.remembersRepeats
                for doesIt in mayRepeat ? [false] : [false, true] {
                    let cut = InnerWire.Cut(method: step.name, call: number, doesIt: doesIt)
                    person += 1
                    let (_, effects) = try await Self.run(call, by: person, fixture, cut: cut)
                    #expect(effects == whole, "\(step.name), \(doesIt ? "done" : "not done")")
                }
            }
        }
    }

    /// Returns the calls made to the inner services, and the effects of a person's call and its
    /// repeat when one of its steps is lost.
    private static func run(
        _ call: PublicCall, by number: Int, _ fixture: ProviderFixture, cut: InnerWire.Cut?
    ) async throws -> (steps: [MethodDescription], effects: [Int64]) {
        let gateway = fixture.gateway
        let person = try await PreparedPerson(number, fixture, calling: call)
        let request = try await person.messages(of: call)
        let before = try await gateway.effects()
        let instance = try RepeatFixture(gateway, cut: cut)
        do {
            _ = try await instance.send(call, request, by: person)
        } catch let error as ServiceError where cut != nil {
            #expect(error.code.entry.isRetryable, "\(error.code) is not retryable")
        }
        // Some limits require a wait between two attempts.
        gateway.time.advance(by: .seconds(5))
        if cut != nil {
            _ = try await RepeatFixture(gateway).send(call, request, by: person)
        }
        let after = try await gateway.effects()
        return (instance.calls, zip(after, before).map { $0 - $1 })
    }

    @Test(
        "after 23 h 59 min a repeat still gives the first response, and nothing is done again",
        arguments: keyed)
    func late(name: String) async throws {
        try await Self.with(name) { fixture, call in
            let gateway = fixture.gateway
            let ada = try await PreparedPerson(0, fixture, calling: call)
            let first = try await RepeatFixture(gateway).send(
                call, ada.messages(of: call), by: ada)
            _ = try await gateway.effects()
            gateway.time.advance(by: .seconds(24 * 3_600 - 60))
            // A client that repeats it so late has refreshed the session, has signed once more what
            // it signs, and comes from a new dialog of the provider.
            try await ada.refreshes(for: call)
            func again() async throws -> (before: [Int64], response: RepeatedResponse) {
                let request = try await ada.messages(of: call)
                let before = try await gateway.effects()
                return (before, try await RepeatFixture(gateway).send(call, request, by: ada))
            }
            let late: (before: [Int64], response: RepeatedResponse)
            do {
                late = try await again()
            } catch let error as ServiceError where error.code == .requiresRecentLogin {
                try await ada.reauthenticates()
                late = try await again()
            }
            #expect(late.response.afterADay == first.afterADay)
            #expect(try await gateway.effects() == late.before)
        }
    }

    /// What the same call does then depends on its method. That its key is forgotten is seen by a
    /// call of somebody else, which is refused until then.
    @Test(
        "for 24 hours another user's call under the key is refused, and then it is a new one",
        arguments: keyed)
    func afterwards(name: String) async throws {
        try await Self.with(name) { fixture, call in
            let gateway = fixture.gateway
            let ada = try await PreparedPerson(0, fixture, calling: call)
            _ = try await RepeatFixture(gateway).send(call, ada.messages(of: call), by: ada)
            _ = try await gateway.effects()
            // Some people need a minute to be prepared, and their proof is recent for five.
            gateway.time.advance(by: .seconds(24 * 3_600 - 120))
            let eve = try await PreparedPerson(1, fixture, calling: call, key: ada.key)
            let instance = try RepeatFixture(gateway)
            let early = try await refusal {
                try await instance.send(call, eve.messages(of: call), by: eve)
            }
            #expect(early.code == .idempotencyKeyReused)
            gateway.time.advance(by: .seconds(180))
            eve.looksAtItsApp()
            let request = try await eve.messages(of: call)
            let before = try await gateway.effects()
            _ = try await instance.send(call, request, by: eve)
            #expect(try await gateway.effects() != before)
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
