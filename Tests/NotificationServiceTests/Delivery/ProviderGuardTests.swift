import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("Circuit breaker and rate limit of a provider")
struct ProviderGuardTests {
    private let time = ManualTime()
    private let log = CapturedLog()

    private func gate(rate: Double? = nil) -> ProviderGuard {
        ProviderGuard(name: "p", rate: rate, time: time, logger: log.logger(time: time))
    }

    private func call(_ gate: ProviderGuard, _ outcome: CircuitBreaker.Outcome) -> Bool {
        guard case .pass(let pass) = gate.enter() else { return false }
        gate.leave(pass, outcome)
        return true
    }

    @Test(
        "N-03: ten failures open the breaker; one call after a second may close it")
    func breaker() {
        let gate = gate()
        for _ in 0..<10 { #expect(call(gate, .failed)) }
        let opened = time.now()
        #expect(gate.readiness == .closed(until: opened + .seconds(1)))
        guard case .closed("breaker-open", let until) = gate.enter() else {
            Issue.record("an open breaker let a call pass")
            return
        }
        #expect(until == opened + .seconds(1))
        time.advance(by: .seconds(1))
        #expect(gate.readiness == .ready(1))
        #expect(call(gate, .answered))
        #expect(gate.readiness == .ready(.max))
        #expect(log.lines.count == 2)
    }

    @Test("a rate of 10 per second allows a burst of ten, then one each 100 ms")
    func rate() {
        let gate = gate(rate: 10)
        #expect(gate.readiness == .ready(10))
        for _ in 0..<10 { #expect(call(gate, .answered)) }
        #expect(!call(gate, .answered))
        #expect(gate.readiness == .closed(until: time.now() + .milliseconds(100)))
        time.advance(by: .milliseconds(100))
        #expect(gate.readiness == .ready(1))
        #expect(call(gate, .answered))
        #expect(!call(gate, .answered))
        time.advance(by: .seconds(5))
        #expect(gate.readiness == .ready(10))
    }

    @Test("a rate below one per second allows one call, then the next after its interval")
    func slow() {
        let gate = gate(rate: 0.5)
        #expect(call(gate, .answered))
        #expect(!call(gate, .answered))
        time.advance(by: .milliseconds(1_999))
        #expect(!call(gate, .answered))
        time.advance(by: .milliseconds(1))
        #expect(call(gate, .answered))
    }
}
