import Logging
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("Clock: steps of the wall clock, starts and alarms")
struct ClockTests {
    private static let mark = Timestamp(milliseconds: 1_767_225_600_000)
    private static let day = Duration.seconds(86_400)

    /// A machine 1,000 s after the boot with the id `this`.
    private func clock(_ wall: Timestamp, isSynchronised: Bool = false) -> MachineClock {
        MachineClock(
            wall: wall, uptime: .seconds(1_000), boot: "this", isSynchronised: isSynchronised)
    }

    /// The stored moment: 400 s ago by the uptime that is stored beside it.
    private func stored(boot: String?, isInDoubt: Bool = false) -> StoredMoment {
        StoredMoment(at: Self.mark, boot: boot, uptime: .seconds(600), isInDoubt: isInDoubt)
    }

    @Test(
        "a start in the mark's boot counts on from the mark, whatever the wall clock shows",
        arguments: [-3_650 * 86_400, -1, 0, 400, 3_600, 3_650 * 86_400])
    func sameBoot(gap: Int) {
        let now = Self.mark + .seconds(400)
        for isSynchronised in [false, true] {
            let shown = clock(Self.mark + .seconds(gap), isSynchronised: isSynchronised)
            #expect(ClockStart.of(shown, mark: stored(boot: "this")) == .counted(now))
        }
        var earlier = stored(boot: "this")
        earlier.uptime = .seconds(1_001)
        let shown = clock(Self.mark + .seconds(gap))
        let other = ClockStart.of(shown, mark: stored(boot: "that"))
        #expect(other != .counted(now))
        #expect(ClockStart.of(shown, mark: earlier) == other, "uptime never goes back in a boot")
    }

    @Test("a doubtful mark is no anchor, but the time counted since is added to it")
    func inDoubt() {
        let now = Self.mark + .seconds(400)
        func start(_ wall: Timestamp) -> ClockStart {
            .of(clock(wall), mark: stored(boot: "this", isInDoubt: true))
        }
        #expect(start(now - .milliseconds(1)) == .behind(mark: now))
        #expect(start(now) == .agrees)
        #expect(start(now + Self.day) == .agrees)
        #expect(start(now + Self.day + .milliseconds(1)) == .farAhead(mark: now))
    }

    @Test("a synchronised or accepted clock may be far ahead, but never behind the mark")
    func vouched() {
        let ahead = Self.mark + Self.day * 20
        let behind = Self.mark - .milliseconds(1)
        func accepted(_ wall: Timestamp, _ mark: StoredMoment) -> ClockStart {
            .of(clock(wall), isAccepted: true, mark: mark)
        }
        func synchronised(_ wall: Timestamp, _ mark: StoredMoment) -> ClockStart {
            .of(clock(wall, isSynchronised: true), mark: mark)
        }
        let that = stored(boot: "that")
        #expect(ClockStart.of(clock(ahead), mark: that) == .farAhead(mark: Self.mark))
        #expect(synchronised(ahead, that) == .agrees)
        #expect(accepted(ahead, that) == .agrees)
        #expect(synchronised(behind, that) == .behind(mark: Self.mark))
        #expect(accepted(behind, that) == .behind(mark: Self.mark))
        let this = stored(boot: "this")
        #expect(accepted(ahead, this) == .agrees)
        #expect(accepted(behind, this) == .behind(mark: Self.mark + .seconds(400)))
    }

    @Test("a start agrees with its mark up to a day ahead, exact to the millisecond")
    func starts() {
        func start(_ gap: Duration) -> ClockStart {
            .of(clock(Self.mark + gap), mark: stored(boot: nil))
        }
        #expect(ClockStart.of(clock(Self.mark), mark: nil) == .agrees)
        #expect(start(.zero) == .agrees)
        #expect(start(.milliseconds(-1)) == .behind(mark: Self.mark))
        #expect(start(.zero - Self.day * 3_650) == .behind(mark: Self.mark))
        #expect(start(Self.day) == .agrees)
        #expect(start(Self.day + .milliseconds(1)) == .farAhead(mark: Self.mark))
        #expect(start(Self.day * 3_650) == .farAhead(mark: Self.mark))
    }

    @Test("clocks that differ by over a minute are reported once, and so is their agreement")
    func steps() {
        let (time, log) = (ManualTime(), CapturedLog())
        var watch = ClockWatch(
            time: time, logger: log.logger(time: time), metrics: MetricsRegistry())
        func check(ahead: Duration) -> [String] {
            time.stepWallClock(by: time.now() + ahead - time.wallClock())
            let before = log.lines.count
            watch.check()
            return Array(log.lines.dropFirst(before))
        }
        func isReported(_ lines: [String], _ texts: String...) -> Bool {
            lines.count == 1 && texts.allSatisfy { lines[0].contains($0) }
        }
        #expect(check(ahead: .seconds(60)).isEmpty)
        #expect(check(ahead: .seconds(-60)).isEmpty)
        let ahead = check(ahead: .milliseconds(60_001))
        #expect(isReported(ahead, "clock.stepped", #""milliseconds":60001"#), "\(ahead)")
        #expect(check(ahead: .seconds(3_600)).isEmpty)
        #expect(isReported(check(ahead: .zero), "clock.agrees"))
        let behind = check(ahead: .seconds(-61))
        #expect(isReported(behind, "clock.stepped", #""milliseconds":-61000"#), "\(behind)")
    }

    @Test("a step of the wall clock while running raises an alarm and does not move the time")
    func alarm() {
        let (time, log, metrics) = (ManualTime(), CapturedLog(), MetricsRegistry())
        var watch = ClockWatch(time: time, logger: log.logger(time: time), metrics: metrics)
        watch.check()
        #expect(log.lines.isEmpty)
        let before = time.now()
        time.stepWallClock(by: Self.day * 3_650)
        watch.check()
        watch.check()
        #expect(time.now() == before)
        #expect(log.lines.filter { $0.contains("clock.stepped") }.count == 1)
        #expect(metrics.prometheusText().contains("clock_ahead_seconds 315360000"))
        time.stepWallClock(by: .zero - Self.day * 3_650)
        watch.check()
        #expect(log.lines.filter { $0.contains("clock.agrees") }.count == 1)
        #expect(metrics.prometheusText().contains("clock_ahead_seconds 0"))
    }

    @Test("the boot id is a UUID and the same for all readers")
    func boot() {
        let boot = SystemTime().boot
        #expect(boot?.utf8.count == 36, "a UUID")
        #expect(SystemTime().boot == boot)
    }

    @Test("system time continues from the given moment, and the wall clock is unchanged")
    func goOn() {
        let time = SystemTime()
        let wall = time.wallClock()
        let moment = wall + .seconds(1_000_000)
        time.goOn(from: moment)
        #expect((moment...(moment + .seconds(60))).contains(time.now()))
        #expect((wall - .seconds(60)...(wall + .seconds(60))).contains(time.wallClock()))
        time.goOn(from: wall)
        #expect((wall...(wall + .seconds(60))).contains(time.now()))
    }
}
