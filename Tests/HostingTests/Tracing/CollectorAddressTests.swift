import Testing

@testable import Hosting

@Suite("Where the collector is")
struct CollectorAddressTests {
    @Test(
        "the usual port and path need not be said",
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
        "what is not plain HTTP to somewhere is refused",
        arguments: [
            "", "http://", "https://collector:4318", "collector:4318", "http:///v1/traces",
            "http://user:secret@collector", "http://collector:0", "http://collector:70000",
            "http://collector:4318/a b", "http://collector:4318/a\r\nx: y", "http://::1:4318",
        ])
    func refused(text: String) {
        #expect(CollectorAddress(text) == nil)
    }
}
