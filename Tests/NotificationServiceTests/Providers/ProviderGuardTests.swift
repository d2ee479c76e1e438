import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("Circuit breaker and rate limit of a provider")
struct ProviderGuardTests {
    private let time = ManualTime()
    private let log = CapturedLog()

    private func providerGuard(rate: Double? = nil) -> ProviderGuard {
        ProviderGuard(name: "p", rate: rate, time: time, logger: log.logger(time: time))
    }

    private func call(_ providerGuard: ProviderGuard, _ outcome: CircuitBreaker.Outcome) -> Bool {
        guard case .pass(let pass) = providerGuard.enter() else { return false }
        providerGuard.leave(pass, outcome)
        return true
    }

    @Test(
        "N-03: ten failures open the breaker; one call after a second may close it")
    func breaker() {
        let providerGuard = providerGuard()
        for _ in 0..<10 { #expect(call(providerGuard, .failed)) }
        let opened = time.now()
        #expect(providerGuard.readiness == .closed(until: opened + .seconds(1)))
        guard case .closed("breaker-open", let until) = providerGuard.enter() else {
            Issue.record("an open breaker let a call pass")
            return
        }
        #expect(until == opened + .seconds(1))
        time.advance(by: .seconds(1))
        #expect(providerGuard.readiness == .ready(1))
        #expect(call(providerGuard, .answered))
        #expect(providerGuard.readiness == .ready(.max))
        #expect(log.lines.count == 2)
    }

    @Test("a failure with a reason is logged with the provider's name")
    func failure() throws {
        let providerGuard = providerGuard()
        guard case .pass(let pass) = providerGuard.enter() else {
            Issue.record("a new breaker is open")
            return
        }
        providerGuard.leave(pass, .failed, failure: "unresolved")
        let line = try #require(log.lines.first)
        #expect(line.contains("\"notification.provider.failed\""))
        #expect(line.contains("\"peer\":\"p\"") && line.contains("\"reason\":\"unresolved\""))
        #expect(log.lines.count == 1)
    }

    @Test("a rate of 10 per second allows a burst of ten, then one each 100 ms")
    func rate() {
        let providerGuard = providerGuard(rate: 10)
        #expect(providerGuard.readiness == .ready(10))
        for _ in 0..<10 { #expect(call(providerGuard, .answered)) }
        #expect(!call(providerGuard, .answered))
        #expect(providerGuard.readiness == .closed(until: time.now() + .milliseconds(100)))
        time.advance(by: .milliseconds(100))
        #expect(providerGuard.readiness == .ready(1))
        #expect(call(providerGuard, .answered))
        #expect(!call(providerGuard, .answered))
        time.advance(by: .seconds(5))
        #expect(providerGuard.readiness == .ready(10))
    }

    @Test("a rate below one per second allows one call, then the next after its interval")
    func slow() {
        let providerGuard = providerGuard(rate: 0.5)
        #expect(call(providerGuard, .answered))
        #expect(!call(providerGuard, .answered))
        time.advance(by: .milliseconds(1_999))
        #expect(!call(providerGuard, .answered))
        time.advance(by: .milliseconds(1))
        #expect(call(providerGuard, .answered))
    }
}
