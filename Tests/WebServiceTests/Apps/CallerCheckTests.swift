import Contracts
import Cryptography
import HTTPTypes
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("Who may call the web service")
struct CallerCheckTests {
    private static let signOut = "postern.gateway.v1.Auth/SignOut"

    /// A token of a backend. Only the gateway verifies its signature.
    private static func token(
        method: String = signOut, body: String? = "{}", lifetime: Int64 = 60
    ) -> String {
        let expiresAt = AppsFixture.time.now().seconds + lifetime
        let hash = body.map { ",\"bh\":\"\(Base64URL.encode(SHA256.hash($0.utf8)))\"" } ?? ""
        let claims = "{\"exp\":\(expiresAt),\"method\":\"\(method)\"\(hash)}"
        return ["{\"alg\":\"EdDSA\"}", claims, "signature"].map { Base64URL.encode($0.utf8) }
            .joined(separator: ".")
    }

    @Test("an app is known by its key")
    func app() throws {
        let caller = try AppsFixture.caller(["x-postern-app": AppsFixture.phoneKey])
        #expect(caller.app?.name == "shop-ios")
        #expect(caller.applicationToken == nil)
        #expect(caller.clientAddress == "203.0.113.7")
        try caller.check(body: Array("anything".utf8))
    }

    @Test("a backend's token goes on as it is, bound to the body")
    func backend() throws {
        let token = Self.token()
        let caller = try AppsFixture.caller(["x-postern-app": token], "Auth/SignOut")
        #expect(caller.app == nil)
        #expect(caller.applicationToken == token)
        try caller.check(body: Array("{}".utf8))
        let error = AppsFixture.refusal { try caller.check(body: Array("{ }".utf8)) }
        #expect(error?.code == .unauthenticated)
        #expect(error?.fields == ["x-postern-app"])
    }

    @Test("a backend's token without bh is for streams only")
    func stream() throws {
        let name = "postern.gateway.v1.Verification/WatchRevocations"
        let caller = try AppsFixture.caller(
            ["x-postern-app": Self.token(method: name, body: nil)],
            "Verification/WatchRevocations")
        try caller.check(body: Array("".utf8))
        let hashed = try AppsFixture.caller(
            ["x-postern-app": Self.token(method: name, body: "")], "Verification/WatchRevocations")
        try hashed.check(body: Array("".utf8))
        let unary = AppsFixture.refusal {
            _ = try AppsFixture.caller(
                ["x-postern-app": Self.token(body: nil)], "Auth/SignOut")
        }
        #expect(unary?.violations.first?.sentence?.contains("no bh") == true)
        #expect(unary?.violations.first?.rule == "body")
    }

    @Test("a backend's call of a method that is not public goes on, and the gateway decides")
    func adminByBackend() throws {
        let method = try #require(
            try AppsFixture.methods(AdminDescription.service).first { !$0.options.isPublic })
        let caller = try AppsFixture.check.caller(
            of: AppsFixture.request(["x-postern-app": Self.token(method: method.name)]),
            AppsFixture.client(), method: method)
        #expect(caller.applicationToken != nil)
    }

    /// A request that is refused: its fields, the method, the code, and the field to correct.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let fields: [String: String]
        var method = "Auth/SignOut"
        let code: ErrorCode
        var field: String?
    }

    static let refusals = [
        Refusal(
            testDescription: "nothing is sent", fields: [:], code: .unauthenticated,
            field: "x-postern-app"),
        Refusal(
            testDescription: "an unknown key",
            fields: ["x-postern-app": "pk_00000000000000000000000000000000"],
            code: .unauthenticated, field: "x-postern-app"),
        Refusal(
            testDescription: "two keys",
            fields: [
                "x-postern-app": "\(AppsFixture.phoneKey), \(AppsFixture.webKey)"
            ], code: .unauthenticated, field: "x-postern-app"),
        Refusal(
            testDescription: "neither key nor token", fields: ["x-postern-app": "shop"],
            code: .unauthenticated, field: "x-postern-app"),
        Refusal(
            testDescription: "a token of two parts", fields: ["x-postern-app": "e30.e30"],
            code: .unauthenticated, field: "x-postern-app"),
        Refusal(
            testDescription: "a token without claims", fields: ["x-postern-app": "e30.e30.AA"],
            code: .unauthenticated, field: "x-postern-app"),
        Refusal(
            testDescription: "a token for another method",
            fields: ["x-postern-app": token(method: "postern.gateway.v1.Auth/VerifyEmail")],
            code: .unauthenticated, field: "x-postern-app"),
        Refusal(
            testDescription: "a token that expired more than a leeway ago",
            fields: ["x-postern-app": token(lifetime: -60)], code: .unauthenticated,
            field: "x-postern-app"),
        Refusal(
            testDescription: "a page with a backend's token",
            fields: ["x-postern-app": token(), "origin": AppsFixture.origin],
            code: .permissionDenied, field: "origin"),
        Refusal(
            testDescription: "a page of an origin that the app does not have",
            fields: ["x-postern-app": AppsFixture.webKey, "origin": "https://evil.example"],
            code: .permissionDenied, field: "origin"),
        Refusal(
            testDescription: "a page of another app's origin",
            fields: ["x-postern-app": AppsFixture.webKey, "origin": "https://blog.example.org"],
            code: .permissionDenied, field: "origin"),
        Refusal(
            testDescription: "a page with the key of an app without pages",
            fields: ["x-postern-app": AppsFixture.phoneKey, "origin": AppsFixture.origin],
            code: .permissionDenied, field: "origin"),
        Refusal(
            testDescription: "a sandboxed frame",
            fields: ["x-postern-app": AppsFixture.webKey, "origin": "null"],
            code: .permissionDenied, field: "origin"),
        Refusal(
            testDescription: "the same host by another scheme, port or spelling",
            fields: ["x-postern-app": AppsFixture.webKey, "origin": "http://shop.example.org"],
            code: .permissionDenied, field: "origin"),
        Refusal(
            testDescription: "another site, without its origin",
            fields: ["x-postern-app": AppsFixture.otherKey, "sec-fetch-site": "cross-site"],
            code: .permissionDenied, field: "sec-fetch-site"),
        Refusal(
            testDescription: "a cookie for a page of another site",
            fields: [
                "x-postern-app": AppsFixture.webKey, "origin": AppsFixture.origin,
                "sec-fetch-site": "cross-site",
            ], code: .permissionDenied, field: "sec-fetch-site"),
        Refusal(
            testDescription: "a method that the app does not have",
            fields: ["x-postern-app": AppsFixture.phoneKey], method: "Passwords/ChangePassword",
            code: .permissionDenied, field: "x-postern-app"),
        Refusal(
            testDescription: "a public service's method that is not public",
            fields: ["x-postern-app": AppsFixture.otherKey],
            method: "AccountSessions/CheckRecentProof", code: .permissionDenied,
            field: "x-postern-app"),
    ]

    @Test("refused before anything is done, with the field to correct", arguments: refusals)
    func refused(_ refusal: Refusal) throws {
        let error = AppsFixture.refusal {
            _ = try AppsFixture.caller(refusal.fields, refusal.method)
        }
        #expect(error?.code == refusal.code)
        #expect(error?.fields.first == refusal.field)
        #expect(error?.notProcessed == true)
        #expect(refusal.field == nil || error?.violations.first?.sentence?.isEmpty == false)
    }

    @Test("no app may call a method of Admin")
    func admin() throws {
        for method in try AppsFixture.methods(AdminDescription.service) {
            let error = AppsFixture.refusal {
                _ = try AppsFixture.check.caller(
                    of: AppsFixture.request(["x-postern-app": AppsFixture.otherKey]),
                    AppsFixture.client(), method: method)
            }
            #expect(error?.code == .permissionDenied, "\(method.name)")
        }
    }

    @Test("a method that the app does not have is refused with what would permit it")
    func methods() {
        let error = AppsFixture.refusal {
            _ = try AppsFixture.caller(
                ["x-postern-app": AppsFixture.phoneKey], "Passwords/ChangePassword")
        }
        let sentence = error?.violations.first?.sentence ?? ""
        #expect(sentence.contains("methods in the operator's apps-file"), "\(sentence)")
        #expect(sentence.contains("Passwords/ChangePassword"))
    }

    @Test(
        "requests that are allowed",
        arguments: [
            ["x-postern-app": AppsFixture.webKey, "origin": AppsFixture.origin],
            [
                "x-postern-app": AppsFixture.webKey, "origin": AppsFixture.origin,
                "sec-fetch-site": "same-site",
            ],
            ["x-postern-app": AppsFixture.webKey, "sec-fetch-site": "same-origin"],
            [
                "x-postern-app": AppsFixture.otherKey, "origin": "https://blog.example.org",
                "sec-fetch-site": "cross-site",
            ],
        ])
    func allowed(_ fields: [String: String]) throws {
        _ = try AppsFixture.caller(fields)
    }

    @Test("the person's address is that of trusted proxies' fields")
    func address() throws {
        let fields = ["x-postern-app": AppsFixture.phoneKey, "x-forwarded-for": "192.0.2.66"]
        #expect(try AppsFixture.caller(fields).clientAddress == "203.0.113.7")
        let proxied = try AppsFixture.check.caller(
            of: AppsFixture.request(fields), AppsFixture.client("10.0.0.1", isTrusted: true),
            method: AppsFixture.method("Auth/SignOut"))
        #expect(proxied.clientAddress == "192.0.2.66")
    }
}
