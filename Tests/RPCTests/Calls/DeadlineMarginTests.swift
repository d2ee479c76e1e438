import ServiceRuntime
import Testing

@testable import RPC

@Suite("X-06: how long before a caller's deadline the server answers")
struct DeadlineMarginTests {
    @Test(
        "the margin grows with the calls in flight, to 100 ms and a tenth of the timeout",
        arguments: [
            (Duration.seconds(10), 0, Duration.milliseconds(5)),
            (.seconds(10), 25, .milliseconds(5)),
            (.seconds(10), 26, .microseconds(5_200)),
            (.milliseconds(1_100), 150, .milliseconds(30)),
            (.milliseconds(1_100), 392, .microseconds(78_400)),
            (.seconds(10), 500, .milliseconds(100)),
            (.seconds(10), 16_384, .milliseconds(100)),
            (.seconds(10), .max / 1_000_000_000_000, .milliseconds(100)),
            (.milliseconds(250), 500, .milliseconds(25)),
            (.milliseconds(40), 500, .milliseconds(5)),
            (.milliseconds(5), 500, .milliseconds(5)),
        ])
    func margin(timeout: Duration, running: Int, margin: Duration) {
        #expect(DeadlineMargin.of(timeout, besides: running) == margin)
    }

    @Test("of calls that begin together each has its own moment to be answered")
    func spread() {
        let margins = (25..<500).map { DeadlineMargin.of(.seconds(10), besides: $0) }
        for (earlier, later) in zip(margins, margins.dropFirst()) {
            #expect(later - earlier == .microseconds(200))
        }
    }
}
