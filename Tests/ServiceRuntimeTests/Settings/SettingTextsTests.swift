import ServiceRuntime
import Testing

@Suite("Settings: addresses and durations")
struct SettingTextsTests {
    @Test(
        "host:port is read and written back",
        arguments: [
            ("127.0.0.1:7400", "127.0.0.1", 7400), ("localhost:0", "localhost", 0),
            ("[::1]:65535", "::1", 65_535), ("a-b.example.org:1", "a-b.example.org", 1),
        ])
    func address(text: String, host: String, port: Int) throws {
        let address = try #require(ServiceAddress(text))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.description == text)
    }

    @Test(
        "text other than host:port is rejected",
        arguments: [
            "", ":", ":1", "a", "a:", "a:65536", "a:-1", "a:1 ", "a b:1", "::1:1", "[::1]", "[]:1",
            "a:0x1", "a\n:1", "http://a:1", "a/b:1", "é:1",
            String(repeating: "a", count: 254) + ":1",
        ])
    func noAddress(text: String) {
        #expect(ServiceAddress(text) == nil)
    }

    @Test("a port outside 0 … 65,535 is rejected", arguments: [-1, 65_536, Int.max, Int.min])
    func port(port: Int) {
        #expect(ServiceAddress(host: "a", port: port) == nil)
    }

    @Test(
        "Protos/README.md, Connection 2: only loopback addresses count as loopback",
        arguments: [
            ("127.0.0.1:1", true), ("127.1.2.3:1", true), ("localhost:1", true), ("[::1]:1", true),
            ("0.0.0.0:1", false), ("127.0.0.1.example.org:1", false), ("127.example.org:1", false),
            ("localhost.example.org:1", false), ("[::]:1", false), ("10.0.0.1:1", false),
            ("127.a.b.c:1", false),
        ])
    func loopback(text: String, isLoopback: Bool) {
        #expect(ServiceAddress(text)?.isLoopback == isLoopback)
    }

    @Test(
        "durations are read with a unit or in milliseconds",
        arguments: [
            ("60s", Duration.seconds(60)), ("1m", .seconds(60)), ("60000", .seconds(60)),
            ("60000ms", .seconds(60)), ("2h", .seconds(7_200)), ("365d", .seconds(365 * 86_400)),
        ] as [(String, Duration)])
    func duration(text: String, duration: Duration) {
        #expect(SampleOutcome(["--idle-timeout", text]).values?.idle == duration)
    }

    @Test(
        "a malformed or out-of-range duration is rejected",
        arguments: [
            "", "d", "s60", "60 s", "1.5h", "-60s", "59999", "59s", "366d", "1y", "60S", "+60s",
            "9223372036854775807d", "99999999999999999999s", "060s", "٦٠s", "60sm",
        ])
    func noDuration(text: String) {
        #expect(SampleOutcome(["--idle-timeout=" + text]).problems.count == 1)
    }
}
