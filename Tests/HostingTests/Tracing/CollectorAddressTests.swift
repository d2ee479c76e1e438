import Testing

@testable import Hosting

@Suite("The address of the trace collector")
struct CollectorAddressTests {
    @Test(
        "port and path of the collector have defaults",
        arguments: [
            ("http://127.0.0.1", "http://127.0.0.1:4318/v1/traces"),
            ("http://collector:9000", "http://collector:9000/v1/traces"),
            ("http://collector:9000/", "http://collector:9000/v1/traces"),
            ("http://[::1]", "http://[::1]:4318/v1/traces"),
            ("http://[::1]:80/in/traces", "http://[::1]:80/in/traces"),
        ])
    func read(text: String, written: String) {
        #expect(CollectorAddress(text)?.description == written)
    }

    @Test(
        "anything but plain HTTP to a host is rejected",
        arguments: [
            "", "http://", "https://collector:4318", "collector:4318", "http:///v1/traces",
            "http://user:secret@collector", "http://collector:0", "http://collector:70000",
            "http://collector:4318/a b", "http://collector:4318/a\r\nx: y", "http://::1:4318",
        ])
    func refused(text: String) {
        #expect(CollectorAddress(text) == nil)
    }
}
