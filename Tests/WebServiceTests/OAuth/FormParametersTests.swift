import Testing

@testable import WebService

@Suite("RFC 6749: parameters of forms")
struct FormParametersTests {
    @Test(
        "a form is decoded",
        arguments: [
            ("token=abc", "abc"), ("x=1&token=a%2Bb", "a+b"), ("token=a+b", "a b"),
            ("token=%C3%A9", "é"), ("token=a=b", "a=b"), ("&token=abc&", "abc"),
        ])
    func decoded(text: String, token: String) throws {
        #expect(try #require(FormParameters(text.utf8))["token"] == token)
    }

    @Test("an empty parameter counts as absent", arguments: ["token=", "token", "other=1", ""])
    func absent(text: String) throws {
        #expect(try #require(FormParameters(text.utf8))["token"] == nil)
    }

    @Test(
        "a malformed form is refused, and one with a parameter twice",
        arguments: [
            "token=%", "token=%2", "token=%zz", "token=%00", "token=%ff", "=x", "token=a&token=b",
            "token=a&%74oken=b",
        ])
    func refused(text: String) {
        #expect(FormParameters(text.utf8) == nil)
    }

    @Test("a form with many parameters is refused")
    func many() {
        let text = (0..<33).map { "p\($0)=1" }.joined(separator: "&")
        #expect(FormParameters(text.utf8) == nil)
    }
}
