import Testing

@testable import WebService

@Suite("RFC 8414: the URLs in the metadata")
struct WellKnownResponderTests {
    @Test(
        "they begin with an origin of the settings, however the client writes the host",
        arguments: [
            ("auth.example.org", "https://auth.example.org"),
            ("Auth.Example.org", "https://auth.example.org"),
            ("auth.example.org:443", "https://auth.example.org"),
            ("id.example.org:8443", "https://id.example.org:8443"),
            ("", "https://auth.example.org"),
        ])
    func origin(authority: String, origin: String) {
        let origins = ["https://auth.example.org", "https://id.example.org:8443"]
        for isTLS in [false, true] {
            #expect(
                WellKnownResponder.origin(authority, isTLS: isTLS, among: origins) == origin)
        }
    }

    @Test("without origins in the settings they have the scheme and host of the request")
    func loopback() {
        #expect(
            WellKnownResponder.origin("localhost:7480", isTLS: false, among: [])
                == "http://localhost:7480")
    }
}
