import Contracts
import HTTPTypes
import Messages
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Refresh tokens in a cookie")
struct RefreshCookieTests {
    private let cookie: RefreshCookie
    /// Fields of a call by a script of the app's page.
    private static let page = [
        "x-postern-app": AppsFixture.webKey, "origin": AppsFixture.origin,
        "sec-fetch-site": "same-site", "connect-protocol-version": "1",
    ]
    private static let token = "AgEAAAAAAAAAAQAAAAAAAAEAAAAAAAAAAAAAAAAAAAAA"
    private static let session = GatewayV1.Session(
        sessionId: "ses_1", accessToken: "access", accessExpiresAtMs: 1, refreshToken: token,
        idleExpiresAtMs: 2, expiresAtMs: 3, answeredAtMs: 4)

    init() throws {
        cookie = RefreshCookie(methods: try AppsFixture.services.flatMap(AppsFixture.methods))
    }

    @Test("every method that takes or returns a refresh token is covered")
    func methods() {
        #expect(
            cookie.methods
                == [
                    "Auth/RefreshSession", "Auth/SignInWithPassword", "Auth/SignOut",
                    "Auth/SignUpWithPassword", "Guests/SignInAsGuest",
                    "Passkeys/SignInWithPasskey",
                    "Passwords/ResetPassword", "PhoneSignIn/SignInWithPhoneCode",
                    "Providers/SignInWithProvider", "SignInChallenges/CompleteSignIn",
                ].map { "postern.gateway.v1.\($0)" })
    }

    @Test("a token is in messages of unary calls only, and once in each")
    func places() throws {
        for method in try AppsFixture.services.flatMap(AppsFixture.methods) {
            let found = method.output.textFields(named: "refresh_token")
            #expect(found.count <= 1, "\(method.name)")
            #expect(
                found.isEmpty || !method.hasRequestItems && !method.hasResponseItems,
                "\(method.name)")
        }
    }

    @Test("a session's token leaves the body and becomes a cookie that no script can read")
    func take() throws {
        let response = GatewayV1.RefreshSessionResponse(session: Self.session).encoded()
        let taken = try cookie.take(
            from: response, of: AppsFixture.caller(Self.page),
            method: AppsFixture.method("Auth/RefreshSession"))
        let body = try GatewayV1.RefreshSessionResponse(decoding: taken.body)
        #expect(body.session?.refreshToken == "")
        #expect(body.session?.accessToken == "access")
        #expect(body.session?.answeredAtMs == 4)
        let field = try #require(taken.setCookie)
        #expect(field.name == .setCookie)
        #expect(
            field.value
                == "__Host-postern-refresh=\(Self.token); HttpOnly; Secure; SameSite=Strict; "
                + "Path=/; Max-Age=34560000")
    }

    @Test("on plain loopback without what Safari refuses there")
    func loopback() throws {
        let response = GatewayV1.RefreshSessionResponse(session: Self.session).encoded()
        let method = try AppsFixture.method("Auth/RefreshSession")
        for (authority, isTLS, isPlain) in [
            ("localhost:7480", false, true), ("127.0.0.1:7480", false, true),
            ("localhost:7480", true, false), ("auth.example.org", false, false),
        ] {
            let caller = try AppsFixture.caller(Self.page, authority: authority, isTLS: isTLS)
            let field = try #require(
                try cookie.take(from: response, of: caller, method: method).setCookie)
            #expect(field.value.hasPrefix("postern-refresh=") == isPlain)
            #expect(field.value.contains("Secure") == !isPlain)
            #expect(field.value.contains("HttpOnly") && field.value.contains("SameSite=Strict"))
        }
    }

    @Test("behind a proxy the cookie is secure, even if the proxy calls us localhost")
    func proxied() throws {
        let caller = try AppsFixture.check.caller(
            of: AppsFixture.request(Self.page, authority: "localhost:7480"),
            AppsFixture.client("10.0.0.1", isTrusted: true, isTLS: false),
            method: AppsFixture.method("Auth/RefreshSession"))
        #expect(!caller.isPlainLoopback)
    }

    @Test("an app with refresh: body, and a backend, get the token itself")
    func body() throws {
        let response = GatewayV1.RefreshSessionResponse(session: Self.session).encoded()
        let taken = try cookie.take(
            from: response, of: AppsFixture.caller(["x-postern-app": AppsFixture.phoneKey]),
            method: AppsFixture.method("Auth/RefreshSession"))
        #expect(taken.body == response)
        #expect(taken.setCookie == nil)
    }

    @Test("a response that cannot be read is not passed on")
    func malformed() throws {
        let caller = try AppsFixture.caller(Self.page)
        let method = try AppsFixture.method("Auth/RefreshSession")
        let error = AppsFixture.refusal {
            _ = try cookie.take(from: [0x0a, 0x05, 0x22], of: caller, method: method)
        }
        #expect(error?.code == .internalError)
        // A token that would end the cookie's value, or set another attribute.
        let odd = GatewayV1.Session(
            sessionId: "", accessToken: "", accessExpiresAtMs: 0, refreshToken: "a; Domain=evil",
            idleExpiresAtMs: 0, expiresAtMs: 0, answeredAtMs: 0)
        let injected = AppsFixture.refusal {
            _ = try cookie.take(
                from: GatewayV1.RefreshSessionResponse(session: odd).encoded(), of: caller,
                method: method)
        }
        #expect(injected?.code == .internalError)
    }

    private func insert(
        _ request: GatewayV1.RefreshSessionRequest, _ fields: [String: String]
    ) throws -> (request: [UInt8], isFromCookie: Bool) {
        try cookie.insert(
            from: AppsFixture.request(fields).headerFields, into: request.encoded(),
            of: AppsFixture.caller(Self.page), method: AppsFixture.method("Auth/RefreshSession"))
    }

    private static func with(_ fields: [String: String]) -> [String: String] {
        page.merging(fields) { $1 }
    }

    private static let request = GatewayV1.RefreshSessionRequest(
        refreshToken: "",
        device: GatewayV1.Device(deviceId: "d1", platform: "web", name: "", key: nil),
        deviceProof: nil)

    @Test("a refresh without a token in its body gets the cookie's")
    func inserted() throws {
        let (request, isFromCookie) = try insert(
            Self.request, Self.with(["cookie": "a=b; __Host-postern-refresh=\(Self.token); c=d"]))
        #expect(isFromCookie)
        let read = try GatewayV1.RefreshSessionRequest(decoding: request)
        #expect(read.refreshToken == Self.token)
        #expect(read.device?.deviceId == "d1")
    }

    @Test("another cookie whose value joins the semicolon does not hide the cookie")
    func joined() throws {
        let value = "a=b\u{600}; __Host-postern-refresh=\(Self.token)"
        #expect(try insert(Self.request, Self.with(["cookie": value])).isFromCookie)
    }

    @Test("a token in the body goes before the cookie's")
    func given() throws {
        let request = GatewayV1.RefreshSessionRequest(
            refreshToken: "own", device: nil, deviceProof: nil)
        let inserted = try insert(
            request, Self.with(["cookie": "__Host-postern-refresh=\(Self.token)"]))
        #expect(!inserted.isFromCookie)
        #expect(inserted.request == request.encoded())
    }

    @Test(
        "a cookie that is not surely ours is none",
        arguments: [
            "postern-refresh=\(token)", "__Host-postern-refresh=", "__Host-postern-refresh=a b",
            "x__Host-postern-refresh=\(token)", "__host-postern-refresh=\(token)",
            "__Host-postern-refresh=\(token); __Host-postern-refresh=other",
        ])
    func others(_ value: String) throws {
        let inserted = try insert(Self.request, Self.with(["cookie": value]))
        #expect(!inserted.isFromCookie)
        #expect(inserted.request == Self.request.encoded())
    }

    @Test(
        "a call with the cookie needs what no form and no link can send",
        arguments: [
            ("origin", nil), ("connect-protocol-version", nil),
            ("connect-protocol-version", "2"), ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "none"),
        ] as [(String, String?)])
    func forged(_ name: String, _ value: String?) throws {
        var fields = Self.with(["cookie": "__Host-postern-refresh=\(Self.token)"])
        fields[name] = value
        let error = AppsFixture.refusal { _ = try insert(Self.request, fields) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.fields == [name])
    }

    @Test("an older browser without Sec-Fetch-Site can refresh")
    func olderBrowser() throws {
        var fields = Self.with(["cookie": "__Host-postern-refresh=\(Self.token)"])
        fields["sec-fetch-site"] = nil
        #expect(try insert(Self.request, fields).isFromCookie)
    }

    @Test("a sign-out takes the cookie unless it has an access token, and always deletes it")
    func signOut() throws {
        let method = try AppsFixture.method("Auth/SignOut")
        let caller = try AppsFixture.caller(Self.page)
        let request = GatewayV1.SignOutRequest(refreshToken: "", all: false, deviceProof: nil)
        var fields = Self.with(["cookie": "__Host-postern-refresh=\(Self.token)"])
        let byCookie = try cookie.insert(
            from: AppsFixture.request(fields).headerFields, into: request.encoded(), of: caller,
            method: method)
        #expect(
            try GatewayV1.SignOutRequest(decoding: byCookie.request).refreshToken == Self.token)
        fields["authorization"] = "Bearer access"
        let byAccess = try cookie.insert(
            from: AppsFixture.request(fields).headerFields, into: request.encoded(), of: caller,
            method: method)
        #expect(!byAccess.isFromCookie)
        let taken = try cookie.take(
            from: GatewayV1.SignOutResponse(endedSessions: 1).encoded(), of: caller, method: method)
        #expect(taken.setCookie?.value.hasPrefix("__Host-postern-refresh=; ") == true)
        #expect(taken.setCookie?.value.hasSuffix("Max-Age=0") == true)
    }

    @Test("an error deletes the cookie only if it says that the cookie's session has ended")
    func deletion() throws {
        let caller = try AppsFixture.caller(Self.page)
        func deletes(_ code: ErrorCode, _ name: String, isFromCookie: Bool) throws -> Bool {
            cookie.deletion(
                after: ServiceError(code), of: caller, method: try AppsFixture.method(name),
                isFromCookie: isFromCookie) != nil
        }
        for code in [
            ErrorCode.invalidRefreshToken, .refreshTokenReplayed, .sessionEnded, .providerRevoked,
        ] {
            #expect(try deletes(code, "Auth/RefreshSession", isFromCookie: true))
            #expect(try deletes(code, "Auth/SignOut", isFromCookie: false))
            #expect(try !deletes(code, "Auth/RefreshSession", isFromCookie: false))
            #expect(try !deletes(code, "Passwords/ChangePassword", isFromCookie: false))
        }
        #expect(try !deletes(.unavailable, "Auth/RefreshSession", isFromCookie: true))
        #expect(try !deletes(.deviceProofRequired, "Auth/RefreshSession", isFromCookie: true))
    }
}
