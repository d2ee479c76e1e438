import HTTPTypes
import NIOHTTP1
import Testing

@testable import WebService

@Suite("Which requests are read")
struct RequestHeadRuleTests {
    private let hosts = AllowedHosts(origins: ["https://auth.example.com"], port: 7480)

    private func checked(
        _ path: String?, _ method: HTTPRequest.Method = .get,
        authority: String? = "auth.example.com", fields: HTTPFields = [:]
    ) -> Int {
        do {
            _ = try RequestHeadRule.checked(
                HTTPRequest(
                    method: method, scheme: "https", authority: authority, path: path,
                    headerFields: fields), hosts: hosts, isTLS: true)
            return 200
        } catch {
            return error.status.code
        }
    }

    private func converted(_ fields: HTTPHeaders, _ version: HTTPVersion = .http1_1) -> Int {
        do {
            let head = HTTPRequestHead(version: version, method: .POST, uri: "/", headers: fields)
            _ = try RequestHeadRule.request(head, isTLS: false)
            return 200
        } catch {
            return error.status.code
        }
    }

    @Test("the target is a path of printable ASCII")
    func target() {
        #expect(checked("/a?b=%20") == 200)
        #expect(checked("*", .options) == 200)
        for path in [nil, "", "*", "a", "http://auth.example.com/", "/ a", "/#a", "/\u{e9}"] {
            #expect(checked(path) == 400)
        }
        #expect(checked("/", .connect) == 405)
        #expect(checked("/", .trace) == 405)
    }

    @Test("the host is required and must be one of ours")
    func host() {
        #expect(checked("/", authority: nil) == 400)
        #expect(checked("/", authority: "") == 400)
        #expect(checked("/", authority: "evil.example.com") == 421)
        let other = HTTPField.Name("host").map { [$0: "evil.example.com"] as HTTPFields } ?? [:]
        #expect(checked("/", fields: other) == 400)
        let same = HTTPField.Name("host").map { [$0: "auth.example.com"] as HTTPFields } ?? [:]
        #expect(checked("/", fields: same) == 200)
        #expect(checked("/", authority: nil, fields: same) == 200)
    }

    @Test(
        "strict transport security is for host names at port 443, not for this machine",
        arguments: [
            ("auth.example.com", true), ("AUTH.example.com:443", true), ("intranet", true),
            ("auth.example.com:7480", false), ("auth.example.com:", false), ("localhost", false),
            ("app.localhost", false), ("LOCALHOST:443", false), ("127.0.0.1", false),
            ("192.0.1.1:443", false), ("[::1]", false), ("[2600::1]:443", false), ("", false),
        ])
    func strictTransport(authority: String, applies: Bool) {
        #expect(StrictTransport.applies(to: authority) == applies)
    }

    @Test("the one expectation is 100-continue")
    func expectation() {
        #expect(checked("/", fields: [.expect: "100-Continue"]) == 200)
        #expect(checked("/", fields: [.expect: "200-ok"]) == 417)
    }

    @Test("a body with two lengths is refused")
    func framing() {
        #expect(converted(["host": "a", "content-length": "1"]) == 200)
        #expect(converted(["host": "a", "transfer-encoding": "chunked"]) == 200)
        #expect(
            converted(["host": "a", "transfer-encoding": "chunked", "content-length": "1"]) == 400)
        #expect(converted(["host": "a", "content-length": "1", "Content-Length": "1"]) == 400)
        #expect(converted(["host": "a", "transfer-encoding": "gzip, chunked"]) == 501)
        #expect(converted(["host": "a", "transfer-encoding": "chunked"], .http1_0) == 501)
        let twice: HTTPHeaders = [
            "host": "a", "transfer-encoding": "chunked", "Transfer-Encoding": "chunked",
        ]
        #expect(converted(twice) == 400)
    }

    private func target(_ uri: String, host: String = "auth.example.com") -> String {
        do {
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: uri, headers: ["host": host])
            let request = try RequestHeadRule.checked(
                RequestHeadRule.request(head, isTLS: true), hosts: hosts, isTLS: true)
            return "\(request.authority ?? "") \(request.path ?? "")"
        } catch {
            return "\(error.status.code)"
        }
    }

    @Test("RFC 9112, 3.2.2: a target in absolute form is read if it names the host")
    func absoluteForm() {
        #expect(target("https://auth.example.com/a?b=c") == "auth.example.com /a?b=c")
        #expect(target("HTTP://auth.example.com/a") == "auth.example.com /a")
        #expect(target("https://Auth.example.com") == "auth.example.com /")
        #expect(target("https://auth.example.com?a") == "auth.example.com /?a")
        #expect(target("https://evil.example.com/", host: "evil.example.com") == "421")
        #expect(target("https://a@auth.example.com/", host: "a@auth.example.com") == "421")
        for uri in [
            "https://evil.example.com/", "https://auth.example.com:8443/", "https:///a",
            "https://a@auth.example.com/", "ftp://auth.example.com/", "https:/auth.example.com",
            "https://auth.example.com\\a/", "https://auth.example.com#a",
            "https://auth.example.com/#a",
        ] {
            #expect(target(uri) == "400", "\(uri)")
        }
    }

    @Test("a request has one host and valid fields")
    func fields() {
        #expect(converted([:]) == 400)
        #expect(converted(["host": "a", "Host": "a"]) == 400)
        #expect(converted(["host": "a", "a b": "c"]) == 400)
        #expect(converted(["host": "a", "b": "c\u{0}"]) == 400)
        #expect(converted(["host": "a", "b": "c \t"]) == 200)
        #expect(converted(["host": "a", "b": " \t"]) == 200)
        #expect(converted(["host": "a", "b": "c\u{b}"]) == 400)
        #expect(
            converted(["host": "a", "transfer-encoding": "chunked ", "content-length": "1"]) == 400)
    }

    @Test("an origin allows its host with and without its default port")
    func origins() {
        let hosts = AllowedHosts(
            origins: [
                "https://a.example", "http://b.example:8080", "ftp://c.example", "d.example",
            ],
            port: 7480)
        for host in ["a.example", "A.Example", "a.example:443", "b.example:8080"] {
            #expect(hosts.allow(host, isTLS: true))
        }
        let others = [
            "", "a.example:80", "a.example.", "b.example", "c.example", "d.example", "x@a.example",
            "localhost:7480", "127.0.0.1:7480",
        ]
        for host in others { #expect(!hosts.allow(host, isTLS: true)) }
    }

    @Test("without origins, loopback names with the listener's port are allowed")
    func loopback() {
        let hosts = AllowedHosts(origins: [], port: 7480)
        for host in ["localhost:7480", "127.0.0.1:7480", "[::1]:7480", "LOCALHOST:7480"] {
            #expect(hosts.allow(host, isTLS: false))
        }
        for host in ["localhost", "localhost:80", "example.com:7480", "[::2]:7480", "::1"] {
            #expect(!hosts.allow(host, isTLS: false))
        }
    }
}
