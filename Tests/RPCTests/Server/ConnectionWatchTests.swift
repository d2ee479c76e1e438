import Testing

@testable import RPC

@Suite("Timeouts of a connection")
struct ConnectionWatchTests {
    typealias Moment = any WritableKeyPath<ConnectionWatch, Duration?> & Sendable

    @Test("without a pending wait nothing is due")
    func idle() {
        let watch = ConnectionWatch()
        #expect(watch.nextDue(or: nil, or: nil) == nil)
        #expect(watch.overdue(at: .seconds(1_000_000)) == nil)
    }

    @Test(
        "Protos/README.md, Connection 6: each timeout fires exactly at its time",
        arguments: [
            (\ConnectionWatch.helloDue, ConnectionWatch.Overdue.slowHello),
            (\ConnectionWatch.partialDue, .slowFrame), (\ConnectionWatch.outboundDue, .close),
            (\ConnectionWatch.drainDue, .close), (\ConnectionWatch.lingerDue, .close),
        ] as [(Moment, ConnectionWatch.Overdue)])
    func each(moment: Moment, overdue: ConnectionWatch.Overdue) {
        var watch = ConnectionWatch()
        watch[keyPath: moment] = .seconds(5)
        #expect(watch.nextDue(or: nil, or: nil) == .seconds(5))
        #expect(watch.overdue(at: .milliseconds(4_999)) == nil)
        #expect(watch.overdue(at: .seconds(5)) == overdue)
    }

    @Test("the earliest due time is next, also among those passed in")
    func first() {
        var watch = ConnectionWatch()
        watch.helloDue = .seconds(5)
        watch.partialDue = .seconds(4)
        #expect(watch.nextDue(or: nil, or: .seconds(9)) == .seconds(4))
        #expect(watch.nextDue(or: .seconds(3), or: nil) == .seconds(3))
        #expect(watch.nextDue(or: .seconds(3), or: .seconds(2)) == .seconds(2))
    }

    @Test("a close takes precedence over a GoAway that the peer would not read")
    func closeFirst() {
        var watch = ConnectionWatch()
        watch.helloDue = .seconds(1)
        watch.outboundDue = .seconds(1)
        #expect(watch.overdue(at: .seconds(2)) == .close)
    }
}

@Suite("The rate limit of pings")
struct PingRateLimiterTests {
    /// How many of `count` pings, sent `gap` apart, are answered.
    private func allowed(_ count: Int, every gap: Duration) -> Int {
        var pingLimiter = PingRateLimiter()
        return (0..<count).prefix { pingLimiter.allows(at: gap * $0) }.count
    }

    @Test("Protos/README.md, Connection 3: pings at the floor are always allowed")
    func atTheFloor() {
        #expect(allowed(10_000, every: FrameLimits.keepaliveFloor) == 10_000)
    }

    @Test("Protos/README.md, Connection 3: the third ping in a row under the floor is rejected")
    func underTheFloor() {
        #expect(allowed(10, every: .zero) == 3)
        #expect(allowed(10, every: .milliseconds(9_999)) == 3)
    }

    @Test("occasional jitter over many days does not end a connection")
    func jitter() {
        var pingLimiter = PingRateLimiter()
        var uptime = Duration.zero
        for _ in 0..<100 {
            for gap in [10, 9, 9] {
                uptime += .seconds(gap)
                #expect(pingLimiter.allows(at: uptime) == true)
            }
        }
    }
}
