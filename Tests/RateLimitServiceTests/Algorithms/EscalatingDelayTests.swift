import Contracts
import Testing

@testable import RateLimitService

@Suite("R-01: the delay between requests grows")
struct EscalatingDelayTests {
    static let day: Int64 = 24 * 3_600_000
    static let second: Int64 = 1_000
    let counter = Counter(
        .escalatingDelay(
            delays: [0, 60, 300, 900, 1_800].map { .seconds($0) }, quiet: .seconds(24 * 3_600),
            perDay: 10))

    @Test("R-01: the delays are 0, 1, 5, 15 and 30 minutes, and 30 from then on")
    func climbs() {
        var now = Self.day
        for (place, wait) in [0, 60, 300, 900, 1_800, 1_800, 1_800].enumerated() {
            if place > 0 {
                #expect(counter.answer(at: now).retryAt == now + Int64(wait) * Self.second)
                now += Int64(wait) * Self.second
                #expect(counter.answer(at: now - 1).isLimited)
            }
            #expect(counter.answer(at: now).attempt == min(place, 4) + 1)
            #expect(counter.charge(at: now))
        }
    }

    @Test("R-01: each quiet day goes down one step, and a success goes down to the first")
    func descends() {
        var now = Self.day
        for _ in 0..<5 { now = climb(from: now) }
        let last = now
        for (days, attempt) in [(1, 4), (2, 3), (4, 1), (9, 1)] {
            #expect(counter.answer(at: last + Int64(days) * Self.day).attempt == attempt)
        }
        #expect(counter.answer(at: last + Self.day - 1).attempt == 5)
        counter.succeed()
        #expect(counter.answer(at: last).attempt == 1)
        #expect(!counter.answer(at: last).isLimited)
    }

    @Test("R-01: ten requests a day are allowed, even with a success after each")
    func cap() {
        var now = Self.day
        for _ in 0..<10 {
            #expect(counter.charge(at: now))
            counter.succeed()
            now += Self.second
        }
        #expect(counter.answer(at: now).retryAt == 2 * Self.day)
        #expect(counter.charge(at: 2 * Self.day))
        #expect(!counter.charge(at: 2 * Self.day))
    }

    @Test("R-01: in a year of requests as early as allowed, no day has more than ten")
    func year() throws {
        var now = Self.day
        var sent: [Int64] = []
        while now < 366 * Self.day {
            let answer = counter.answer(at: now)
            if answer.isLimited {
                now = try #require(answer.retryAt)
            } else {
                counter.charge(at: now)
                sent.append(now)
            }
        }
        #expect(sent.count >= 3_600)
        for place in sent.indices.dropFirst(10) {
            #expect(sent[place] - sent[place - 10] >= Self.day)
        }
    }

    @Test("R-04: a refund restores the step, the delay and the day's count", arguments: 0...6)
    func refund(before: Int) {
        var now = Self.day
        for _ in 0..<before { now = climb(from: now) }
        let allowedAt = counter.answer(at: now).retryAt ?? now
        let earlier = counter.state
        #expect(counter.charge(at: allowedAt))
        counter.refund(allowedAt, at: allowedAt)
        #expect(counter.state == earlier)
        counter.refund(allowedAt, at: allowedAt)
        #expect(counter.state == earlier)
    }

    @Test("R-01: a clock that goes backwards shortens no delay")
    func backwards() {
        #expect(counter.charge(at: 5 * Self.day))
        for now in [0, Self.day, 5 * Self.day - 1] {
            #expect(counter.answer(at: now).retryAt == 5 * Self.day + 60 * Self.second)
        }
    }

    @Test("R-01: the state expires once neither step nor daily count matters")
    func end() {
        #expect(counter.charge(at: 0))
        #expect(counter.rule.end(counter.state) == Self.day)
        #expect(counter.charge(at: 60 * Self.second))
        #expect(counter.rule.end(counter.state) == 60 * Self.second + 2 * Self.day)
    }

    /// Charges at the first time that is allowed, and returns that time.
    private func climb(from now: Int64) -> Int64 {
        let moment = counter.answer(at: now).retryAt ?? now
        counter.charge(at: moment)
        return moment
    }
}
