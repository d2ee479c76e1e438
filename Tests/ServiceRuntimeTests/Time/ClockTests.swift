import Logging
import ServiceRuntime
import TestSupport
import Testing

@Suite("Clock: steps, starts and alarms")
struct ClockTests {
    private static let mark = Timestamp(milliseconds: 1_767_225_600_000)
    private static let day = Duration.seconds(86_400)

    @Test("a start agrees with its mark up to a day ahead, to the millisecond")
    func starts() {
        func start(_ gap: Duration) -> ClockStart {
            .of(wall: Self.mark + gap, mark: Self.mark)
        }
        #expect(ClockStart.of(wall: Self.mark, mark: nil) == .agrees)
        #expect(start(.zero) == .agrees)
        #expect(start(.milliseconds(-1)) == .behind(mark: Self.mark))
        #expect(start(.zero - Self.day * 3_650) == .behind(mark: Self.mark))
        #expect(start(Self.day) == .agrees)
        #expect(start(Self.day + .milliseconds(1)) == .farAhead(mark: Self.mark))
        #expect(start(Self.day * 3_650) == .farAhead(mark: Self.mark))
    }

    @Test("clocks that part by more than a minute are told once, and so is their agreement")
    func drift() {
        var drift = ClockDrift()
        #expect(drift.note(ahead: .seconds(60)) == nil)
        #expect(drift.note(ahead: .seconds(-60)) == nil)
        #expect(drift.note(ahead: .milliseconds(60_001)) == .parted(.milliseconds(60_001)))
        #expect(drift.note(ahead: .seconds(3_600)) == nil)
        #expect(drift.note(ahead: .zero) == .together)
        #expect(drift.note(ahead: .seconds(-61)) == .parted(.seconds(-61)))
    }

    @Test("a step while running raises the alarm and moves no time")
    func alarm() {
        let (time, log, metrics) = (ManualTime(), CapturedLog(), MetricsRegistry())
        let watch = ClockWatch(time: time, logger: log.logger(time: time), metrics: metrics)
        var drift = ClockDrift()
        watch.check(&drift)
        #expect(log.lines.isEmpty)
        let before = time.now()
        time.stepWallClock(by: Self.day * 3_650)
        watch.check(&drift)
        watch.check(&drift)
        #expect(time.now() == before)
        #expect(log.lines.filter { $0.contains("stepped") }.count == 1)
        #expect(metrics.prometheusText().contains("clock_ahead_seconds 315360000"))
        time.stepWallClock(by: .zero - Self.day * 3_650)
        watch.check(&drift)
        #expect(log.lines.filter { $0.contains("agrees again") }.count == 1)
        #expect(metrics.prometheusText().contains("clock_ahead_seconds 0"))
    }

    @Test("the system's time goes on from where it is told, and the wall clock does not")
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
