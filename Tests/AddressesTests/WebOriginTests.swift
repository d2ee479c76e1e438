import Addresses
import Testing

@Suite("Origins")
struct WebOriginTests {
    @Test(
        "origins as browsers send them",
        arguments: [
            "https://shop.example.org", "https://shop.example.org:8443", "http://localhost:3000",
            "http://localhost", "http://127.0.0.1:7480", "http://[::1]:3000",
            "https://[2001:db8::1]", "https://xn--mller-kva.example", "capacitor://localhost",
            "chrome-extension://abcdefghijklmnop",
        ])
    func origin(_ text: String) {
        #expect(WebOrigin(text)?.description == text)
    }

    @Test(
        "any other text is none",
        arguments: [
            "", "null", "*", "https://*.example.org", "https://", "shop.example.org",
            "https://shop.example.org/", "https://shop.example.org/path", "https://a?b",
            "https://a#b",
            "https://SHOP.example.org", "HTTPS://shop.example.org", "https://user@shop.example.org",
            "https://shop.example.org:443", "http://localhost:80", "https://a:0", "https://a:08443",
            "https://a:65536", "https://a:", "https://a:b", "http://shop.example.org",
            "http://127.0.0.2", "https://[::1", "https://[::1]x", "https://[evil]",
            "https://[2001:DB8::1]", "https://a b", "https://a,https://b", "https://.a",
            "https://a.", "https://müller.example", "://a",
        ])
    func none(_ text: String) {
        #expect(WebOrigin(text) == nil)
    }

    @Test("the origin of a web site has https or http")
    func site() {
        #expect(WebOrigin(site: "https://auth.example.org")?.description != nil)
        #expect(WebOrigin(site: "http://localhost:7480")?.description != nil)
        #expect(WebOrigin(site: "capacitor://localhost") == nil)
        #expect(WebOrigin(site: "http://auth.example.org") == nil)
    }

    @Test(
        "plain HTTP is for this machine only",
        arguments: [
            ("localhost", true), ("localhost:7480", true), ("127.0.0.1:7480", true),
            ("[::1]:7480", true), ("[::1]", true), ("localhost.example.org", false),
            ("example.org:7480", false), ("", false), (":", false),
            ("localhost:1:2", false), ("::1", false),
        ])
    func loopback(_ authority: String, _ isLoopback: Bool) {
        #expect(LoopbackHost.isHost(of: authority) == isLoopback)
        #expect(WebOrigin("https://\(authority)")?.isLoopback ?? false == isLoopback)
    }
}
