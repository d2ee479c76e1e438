import HTTPTypes
import Testing

@testable import WebService

@Suite("CORS: which pages may read responses")
struct CrossOriginTests {
    private func fields(_ request: [String: String]) -> HTTPFields {
        AppsFixture.check.responseFields(of: AppsFixture.request(request))
    }

    @Test("W-03: the exact origin of an app, with credentials only where it uses a cookie")
    func origins() {
        let shop = fields(["origin": AppsFixture.origin])
        #expect(shop[.accessControlAllowOrigin] == AppsFixture.origin)
        #expect(shop[.accessControlAllowCredentials] == "true")
        #expect(shop[.accessControlExposeHeaders]?.contains("grpc-status") == true)
        let blog = fields(["origin": "https://blog.example.org"])
        #expect(blog[.accessControlAllowOrigin] == "https://blog.example.org")
        #expect(blog[.accessControlAllowCredentials] == nil)
    }

    @Test(
        "no other origin, and never *",
        arguments: [
            "null", "*", "https://evil.example", "https://shop.example.org.evil.example",
            "https://shop.example.org:444", "http://shop.example.org", "https://SHOP.example.org",
            "https://shop.example.org, https://shop.example.org",
        ])
    func strangers(_ origin: String) {
        #expect(fields(["origin": origin])[.accessControlAllowOrigin] == nil)
    }

    @Test("every response varies by the origin, or a cache would give it to another page")
    func vary() {
        for request in [[:], ["origin": AppsFixture.origin], ["origin": "https://evil.example"]] {
            #expect(fields(request)[.vary] == "Origin")
        }
    }

    @Test("a caller has the same fields, so that its page can read the response")
    func caller() throws {
        let request = ["x-postern-app": AppsFixture.webKey, "origin": AppsFixture.origin]
        #expect(try AppsFixture.caller(request).responseFields == fields(request))
    }

    private func preflight(_ origin: String) -> HTTPResponse? {
        AppsFixture.check.preflightResponse(
            to: AppsFixture.request(
                ["origin": origin, "access-control-request-method": "POST"], method: .options))
    }

    @Test("a preflight request of any app's origin lists what a page may send")
    func preflight() throws {
        let response = try #require(preflight(AppsFixture.origin))
        #expect(response.status == .noContent)
        let fields = response.headerFields
        #expect(fields[.accessControlAllowOrigin] == AppsFixture.origin)
        #expect(fields[.accessControlAllowMethods] == "GET, POST, PUT")
        let allowed = try #require(fields[.accessControlAllowHeaders])
        for name in [
            "authorization", "connect-protocol-version", "content-type", "grpc-timeout",
            "idempotency-key", "x-grpc-web", "x-postern-app",
        ] {
            #expect(allowed.contains(name), "\(name)")
        }
        // `*` does not cover authorization, and nothing at all with credentials.
        #expect(!allowed.contains("*"))
        // Only trusted proxies name addresses.
        #expect(!allowed.contains("forwarded"))
        #expect(fields[.accessControlMaxAge] == "7200")
        #expect(fields[.vary]?.hasPrefix("Origin, Access-Control-Request-Method") == true)
    }

    @Test("G-21: a page can go on with a download that broke off, and read the file's name")
    func downloads() throws {
        let exposed = try #require(
            fields(["origin": AppsFixture.origin])[.accessControlExposeHeaders])
        for name in ["accept-ranges", "content-disposition", "content-range", "etag"] {
            #expect(exposed.contains(name), "\(name)")
        }
        let fields = try #require(preflight(AppsFixture.origin)).headerFields
        let allowed = try #require(fields[.accessControlAllowHeaders]?.split(separator: ", "))
        #expect(allowed.contains("range") && allowed.contains("if-range"))
    }

    @Test("a preflight request of another origin is refused")
    func preflightOfStranger() throws {
        let response = try #require(preflight("https://evil.example"))
        #expect(response.status == .forbidden)
        #expect(response.headerFields[.accessControlAllowOrigin] == nil)
        #expect(response.headerFields[.accessControlAllowMethods] == nil)
    }

    @Test("any other request is no preflight request")
    func noPreflight() {
        for (fields, method) in [
            (["origin": AppsFixture.origin], HTTPRequest.Method.options),
            (["access-control-request-method": "POST"], .options),
            (["origin": AppsFixture.origin, "access-control-request-method": "POST"], .post),
        ] {
            let head = AppsFixture.request(fields, method: method)
            #expect(AppsFixture.check.preflightResponse(to: head) == nil)
        }
    }
}
