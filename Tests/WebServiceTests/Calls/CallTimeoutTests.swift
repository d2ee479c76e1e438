import Testing

@testable import WebService

@Suite("Timeouts of clients")
struct CallTimeoutTests {
    @Test(
        "grpc-timeout is a number and a unit",
        arguments: [
            ("1H", Duration.seconds(3_600)), ("2M", .seconds(120)), ("3S", .seconds(3)),
            ("4m", .milliseconds(4)), ("5u", .microseconds(5)), ("6n", .nanoseconds(6)),
            ("0S", .zero), ("99999999H", .seconds(99_999_999 * 3_600)),
        ])
    func grpc(text: String, timeout: Duration) {
        #expect(CallTimeout.grpc(text) == timeout)
    }

    @Test(
        "any other grpc-timeout is refused",
        arguments: ["", "1", "S", "-1S", "+1S", "1s", "1 S", "1.5S", "100000000S", "١S", "1é"])
    func notGRPC(text: String) {
        #expect(CallTimeout.grpc(text) == nil)
    }

    @Test(
        "connect-timeout-ms is a number of at most ten digits",
        arguments: [
            ("0", Duration.zero), ("5000", .seconds(5)),
            ("9999999999", .milliseconds(9_999_999_999)),
        ])
    func connect(text: String, timeout: Duration) {
        #expect(CallTimeout.connect(text) == timeout)
    }

    @Test(
        "any other connect-timeout-ms is refused",
        arguments: ["", "-1", "+1", "1.0", "5s", " 5", "10000000000", "٥"])
    func notConnect(text: String) {
        #expect(CallTimeout.connect(text) == nil)
    }
}
