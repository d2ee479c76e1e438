import ServiceRuntime
import Testing

@Suite("The state machine of the circuit breaker")
struct CircuitBreakerTests {
    private let start = Duration.seconds(1_000)

    /// A breaker that has just opened at `start`.
    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.failuresMax {
            _ = breaker.ended(.pass, .failed, at: start)
        }
        return breaker
    }

    /// A breaker whose probe started one second later.
    private func probing() -> CircuitBreaker {
        var breaker = opened()
        #expect(breaker.admit(at: start + .seconds(1)) == .probe)
        return breaker
    }

    @Test("it opens at the tenth failure among the last 20 calls, in any order")
    func opens() {
        for gap in 0...1 {
            var breaker = CircuitBreaker()
            for failure in 1...10 {
                for _ in 0..<gap {
                    #expect(breaker.ended(.pass, .answered, at: start) == nil)
                }
                let change = breaker.ended(.pass, .failed, at: start)
                #expect(change == (failure == 10 ? .opened(wait: .seconds(1)) : nil))
            }
            #expect(breaker.state == .open(until: start + .seconds(1), wait: .seconds(1)))
        }
    }

    @Test("failures older than 20 calls no longer count")
    func forgets() {
        var breaker = CircuitBreaker()
        for call in 0..<10_000 {
            // Nine of each 20 fail.
            #expect(
                breaker.ended(.pass, call % 20 < 9 ? .failed : .answered, at: start) == nil)
        }
    }

    @Test("closed, it passes all calls without reading the clock, and abandoned calls do not count")
    func closed() {
        var breaker = CircuitBreaker()
        var readings = 0
        func clock() -> Duration {
            readings += 1
            return start
        }
        for _ in 0..<100 {
            #expect(breaker.admit(at: clock()) == .pass)
            #expect(breaker.ended(.pass, .abandoned, at: clock()) == nil)
            #expect(breaker.ended(.pass, .answered, at: clock()) == nil)
        }
        #expect(readings == 0)
    }

    @Test("open, it rejects calls until its wait ends and then passes a single probe")
    func single() {
        var breaker = opened()
        let until = start + .seconds(1)
        #expect(breaker.admit(at: start) == .barred(until: until))
        #expect(breaker.admit(at: until - .nanoseconds(1)) == .barred(until: until))
        #expect(breaker.permission(at: until) == .probe)
        #expect(breaker.admit(at: until) == .probe)
        for later in [until, until + .seconds(100)] {
            #expect(breaker.admit(at: later) == .barred(until: later + .seconds(1)))
        }
    }

    @Test("failed probes double the wait up to 30 s")
    func doubles() {
        var breaker = opened()
        var uptime = start
        var waits: [Duration] = []
        for _ in 0..<7 {
            guard case .open(let until, let wait) = breaker.state else {
                Issue.record("not open")
                return
            }
            waits.append(wait)
            uptime = until
            #expect(breaker.admit(at: uptime) == .probe)
            let next = min(wait * 2, .seconds(30))
            #expect(breaker.ended(.probe, .failed, at: uptime) == .opened(wait: next))
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    }

    @Test("an answered probe closes it and resets counts and wait")
    func recovers() {
        var breaker = probing()
        #expect(breaker.ended(.probe, .answered, at: start) == .closed)
        #expect(breaker == CircuitBreaker())
    }

    @Test("an abandoned probe leaves its place to the next call")
    func abandoned() {
        var breaker = probing()
        #expect(breaker.ended(.probe, .abandoned, at: start + .seconds(2)) == nil)
        #expect(breaker.admit(at: start + .seconds(2)) == .probe)
        #expect(
            breaker.ended(.probe, .failed, at: start + .seconds(2)) == .opened(wait: .seconds(2)))
    }

    @Test("a target that is reached again is probed at once before the breaker closes")
    func found() {
        var breaker = opened()
        breaker.foundAgain(at: start + .milliseconds(10))
        #expect(breaker.admit(at: start + .milliseconds(10)) == .probe)
        breaker.foundAgain(at: start + .milliseconds(20))
        #expect(breaker.state == .probing(wait: .seconds(1)))
        var closed = CircuitBreaker()
        closed.foundAgain(at: start)
        #expect(closed == CircuitBreaker())
    }

    @Test(
        "calls that began before it opened do not change it when they end",
        arguments: [CircuitBreaker.Outcome.answered, .failed, .abandoned])
    func late(outcome: CircuitBreaker.Outcome) {
        for before in [opened(), probing()] {
            var breaker = before
            #expect(breaker.ended(.pass, outcome, at: start + .seconds(5)) == nil)
            #expect(breaker == before)
        }
        var closed = CircuitBreaker()
        #expect(closed.ended(.probe, outcome, at: start) == nil)
        #expect(closed == CircuitBreaker())
    }
}
