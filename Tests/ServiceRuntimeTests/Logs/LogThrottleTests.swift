import ServiceRuntime
import TestSupport
import Testing

@Suite("LogThrottle")
struct LogThrottleTests {
    @Test("allows the first line, and one in each 60 s")
    func lines() {
        let time = ManualTime()
        let throttle = LogThrottle(time: time)
        #expect(throttle.allows())
        time.advance(by: .seconds(59))
        #expect(!throttle.allows())
        time.advance(by: .seconds(1))
        #expect(throttle.allows())
        #expect(!throttle.allows())
    }
}
