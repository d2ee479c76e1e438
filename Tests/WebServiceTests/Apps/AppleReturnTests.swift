import Testing

@testable import WebService

@Suite("Where an app takes Apple's answer")
struct AppleReturnTests {
    @Test(
        "G-31: a redirect URI, or an application ID of Android",
        arguments: [
            ("https://shop.example.org/apple", true), ("http://localhost:3000/apple", true),
            ("org.example.shop:/apple", true), ("android-app://org.example.shop", true),
            ("android-app://org.example.Shop_2", true), ("http://shop.example.org/apple", false),
            ("https://shop.example.org/apple#x", false), ("https://*.example.org/", false),
            ("javascript:alert(1)", false), ("intent://callback#Intent;end", false),
            ("android-app://shop", false), ("android-app://org.1shop", false),
            ("android-app://org..shop", false), ("android-app://.shop", false),
            ("android-app://org.shop;component=x", false), ("android-app://org.shop/x", false),
            ("android-app://org.shöp", false), ("android-app://org.shop ", false),
            ("android-app://", false), ("", false),
            ("android-app://org." + String(repeating: "a", count: 252), false),
        ])
    func targets(_ text: String, _ isTarget: Bool) {
        #expect(AppleReturn(text)?.description == (isTarget ? text : nil))
    }

    @Test("G-31: a page gets the answer in its fragment, and Android by an intent with the package")
    func urls() {
        let page = AppleReturn("https://shop.example.org/apple?from=apple")
        #expect(page?.url("state=a") == "https://shop.example.org/apple?from=apple#state=a")
        #expect(page?.isAndroid == false)
        let android = AppleReturn("android-app://org.example.shop")
        #expect(
            android?.url("state=a&code=b")
                == "intent://callback?state=a&code=b#Intent;package=org.example.shop;"
                + "scheme=signinwithapple;end")
        #expect(android?.isAndroid == true)
    }
}
