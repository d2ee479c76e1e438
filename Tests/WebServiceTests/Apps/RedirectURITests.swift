import Testing

@testable import WebService

@Suite("Redirect URIs")
struct RedirectURITests {
    @Test(
        "redirect URIs: https, loopback, or a scheme with a dot",
        arguments: [
            ("https://shop.example.org/done?a=b", true), ("http://localhost:3000/done", true),
            ("org.example.shop:/signed-in", true), ("http://shop.example.org/done", false),
            ("https://shop.example.org/done#x", false), ("https://*.example.org/", false),
            ("https://user@shop.example.org/", false), ("https:shop.example.org", false),
            ("javascript:alert(1)", false), ("data:text/html,x", false), ("/done", false),
            ("https://a\\@b/", false), ("", false),
        ])
    func redirect(_ text: String, _ isRedirect: Bool) {
        #expect(App.isRedirectURI(text) == isRedirect)
    }
}
