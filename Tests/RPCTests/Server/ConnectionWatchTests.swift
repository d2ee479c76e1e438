import Testing

@testable import RPC

@Suite("A connection's patience with its peer")
struct ConnectionWatchTests {
    typealias Moment = any WritableKeyPath<ConnectionWatch, Duration?> & Sendable

    @Test("nothing is due where nothing is waited for")
    func idle() {
        let watch = ConnectionWatch()
        #expect(watch.nextDue(or: nil, or: nil) == nil)
        #expect(watch.overdue(at: .seconds(1_000_000)) == nil)
    }

    @Test(
        "Protos/README.md, Connection 6: each moment is due exactly then",
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

    @Test("the first of all moments is next, others' included")
    func first() {
        var watch = ConnectionWatch()
        watch.helloDue = .seconds(5)
        watch.partialDue = .seconds(4)
        #expect(watch.nextDue(or: nil, or: .seconds(9)) == .seconds(4))
        #expect(watch.nextDue(or: .seconds(3), or: nil) == .seconds(3))
        #expect(watch.nextDue(or: .seconds(3), or: .seconds(2)) == .seconds(2))
    }

    @Test("a close comes before a GoAway that nobody would read")
    func closeFirst() {
        var watch = ConnectionWatch()
        watch.helloDue = .seconds(1)
        watch.outboundDue = .seconds(1)
        #expect(watch.overdue(at: .seconds(2)) == .close)
    }
}

@Suite("Pings under the floor")
struct PingRateLimiterTests {
    /// How many of the pings, sent `gap` apart, are answered.
    private func allowed(_ count: Int, every gap: Duration) -> Int {
        var pingLimiter = PingRateLimiter()
        return (0..<count).prefix { pingLimiter.allows(at: gap * $0) }.count
    }

    @Test("Protos/README.md, Connection 3: pings at the floor may go on for ever")
    func atTheFloor() {
        #expect(allowed(10_000, every: FrameLimits.keepaliveFloor) == 10_000)
    }

    @Test("Protos/README.md, Connection 3: the third in a row under the floor is one too many")
    func underTheFloor() {
        #expect(allowed(10, every: .zero) == 3)
        #expect(allowed(10, every: .milliseconds(9_999)) == 3)
    }

    @Test("a connection of many days is not left for a jitter now and then")
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
