import Cryptography
import Outbound
import ServiceRuntime
import Testing

@Suite("URLs, headers and dates of HTTP")
struct HTTPURLTests {
    @Test(
        "SECURITY.md, Tokens: ambiguous URLs and URLs other than https are rejected",
        arguments: [
            "", "https://", "http://a.example/", "ftp://a.example/", "file:///etc/passwd",
            "smtp://a.example", "//a.example/", "a.example", "https://user@a.example/",
            "https://user:word@a.example/", "https://a.example/#part", "https://a.example\\@b/",
            "https://a.example/ b", "https://a.example/\r\nHost: b", "https://a.example:0/",
            "https://a.example:99999/", "https://ü.example/", "https://a.example/\u{0}",
            "https://[::1/", "https://a.example/" + String(repeating: "a", count: 2_048),
        ])
    func hostile(_ text: String) {
        #expect(HTTPURL(text, allowsPlain: false) == nil)
    }

    @Test("host and port are the ones to connect to, and http is accepted only where allowed")
    func parts() throws {
        let plain = try #require(HTTPURL("http://127.0.0.1:8080/a?b=c", allowsPlain: true))
        #expect(!plain.isEncrypted && plain.host == "127.0.0.1" && plain.port == 8_080)
        let standard = try #require(HTTPURL("https://a.example", allowsPlain: false))
        #expect(standard.isEncrypted && standard.host == "a.example" && standard.port == 443)
        #expect(standard.at("/x/y")?.text == "https://a.example:443/x/y")
        let six = try #require(HTTPURL("https://[2001:db8::1]:444/", allowsPlain: false))
        #expect(six.host == "[2001:db8::1]" && six.port == 444)
    }

    @Test(
        "a header cannot contain line breaks or set the message's framing",
        arguments: [
            ("a", "b\r\nc: d"), ("a", "b\nc"), ("a\r\nb", "c"), ("a", "b\u{0}"), ("", "b"),
            ("a", ""), ("a:", "b"), ("a b", "c"), ("Content-Length", "5"), ("Host", "b.example"),
            ("transfer-encoding", "chunked"), ("a", "ü"), (String(repeating: "a", count: 65), "b"),
            ("a", String(repeating: "b", count: HTTPHeader.valueBytesMax + 1)),
        ])
    func header(_ name: String, _ value: String) {
        #expect(HTTPHeader(name, value) == nil)
        #expect(
            HTTPHeader(name, lead: value, secret: .init(copying: "s".utf8)) == nil || value == "")
    }

    @Test("a secret header cannot contain line breaks either")
    func secretHeader() {
        #expect(
            HTTPHeader("authorization", lead: "Bearer ", secret: .init(copying: "a\r\nb".utf8))
                == nil)
        #expect(
            HTTPHeader("authorization", lead: "Bearer ", secret: .init(copying: "a.b".utf8)) != nil)
    }

    @Test("dates and waits are read in RFC 9110's form, and waits are limited to a day")
    func dates() throws {
        let moment = try #require(Timestamp(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT"))
        #expect(moment.text == "1994-11-06T08:49:37.000Z")
        #expect(Timestamp(httpDate: "Thu, 29 Feb 2024 00:00:00 GMT")?.seconds == 1_709_164_800)
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET", "Sun, +6 Nov 1994 08:49:37 GMT",
        ] {
            #expect(Timestamp(httpDate: text) == nil, "\(text)")
        }
        #expect(wait("120", moment) == .seconds(120))
        #expect(wait("Sun, 06 Nov 1994 08:50:37 GMT", moment) == .seconds(60))
        #expect(wait("Sun, 06 Nov 1994 08:40:37 GMT", moment) == .zero)
        #expect(wait("99999999999999999999", moment) == .seconds(86_400))
        #expect(wait("-5", moment) == nil)
        #expect(wait("soon", moment) == nil)
    }

    @Test("a form's fields are escaped")
    func form() {
        let bytes = FormBody.encode([("To", "+4930&x=1"), ("Body", "Kód: 1 2")])
        #expect(
            String(decoding: bytes, as: UTF8.self) == "To=%2B4930%26x%3D1&Body=K%C3%B3d%3A%201%202")
    }

    private func wait(_ text: String, _ now: Timestamp) -> Duration? {
        HTTPResponse(status: 429, fields: HTTPFields([("Retry-After", text)]), body: [])
            .retryAfter(at: now)
    }
}
