import Cryptography
import NIOCore
import NIOPosix
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("Apple's answer, handed on to an app", .timeLimit(.minutes(1)))
struct AppleReturnResponderTests {
    private static let page = "https://shop.example.org/apple"
    private static let applicationID = "org.example.shop"

    /// Sends a form, already encoded, with these fields.
    private typealias Post =
        @Sendable (_ form: String, _ fields: [String: String]) async throws -> HTTP1Response

    private static func app(_ name: String, _ target: String?) -> App {
        App(
            name: name, key: "pk_\(name)", platforms: [.android], origins: [], redirectURIs: [],
            methods: nil, refresh: .body, appleReturn: target.flatMap(AppleReturn.init))
    }

    private static let apps = Apps([
        app("shop-web", page), app("shop-phones", "android-app://\(applicationID)"),
        app("silent", nil),
    ])

    private func run(
        theme: Theme? = nil, method: String = "POST", _ body: @Sendable (Post) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let responder = AppleReturnResponder(
            apps: Reloadable(Self.apps), formalLanguages: .all, theme: theme.map { Reloadable($0) })
        let log = CapturedLog()
        let listener = try await WebListener.start(
            WebListenerSettings(host: "127.0.0.1", port: 0), group: group, time: SystemTime(),
            randomness: SecureRandomness(), logger: log.logger()
        ) { exchange in
            try await responder.respond(to: exchange)
        }
        let client = HTTP1Client(group: group, port: listener.port)
        try await body { form, fields in
            let type = [
                "content-type": "application/x-www-form-urlencoded",
                "content-length": "\(form.utf8.count)",
            ]
            return try await client.send(
                "\(method) /apple/callback HTTP/1.1", Array(form.utf8),
                fields.merging(type) { _, own in own })
        }
        #expect(log.lines.allSatisfy { !$0.contains("Secret") }, "\(log.lines)")
        await listener.drain()
        try await group.shutdownGracefully()
    }

    @Test("G-31: a page gets it in the fragment, by 303, without a cache and without a cookie")
    func page() async throws {
        try await run { post in
            let user = #"{"name":{"firstName":"Ada","lastName":"Löv"},"email":"a@b.example"}"#
            let answer = try await post(
                "state=shop-web.r4nd_0m&code=cSecret.0.x&id_token=a.b-c.d&user=\(encoded(user))",
                ["origin": "https://appleid.apple.com", "cookie": "postern-security=x"])
            #expect(answer.status == 303)
            let kept =
                #"{"email":"a@b.example","name":{"firstName":"Ada","lastName":"Löv"}}"#
            #expect(
                answer.fields["location"]
                    == "\(Self.page)#state=shop%2Dweb%2Er4nd%5F0m&code=cSecret%2E0%2Ex"
                    + "&user=\(encoded(kept))&id_token=a%2Eb%2Dc%2Ed")
            #expect(answer.fields["cache-control"] == "no-store")
            #expect(answer.fields["referrer-policy"] == "no-referrer")
            #expect(answer.fields["set-cookie"] == nil && answer.body.isEmpty)
        }
    }

    @Test("G-31: an app on Android gets it by an intent for its package")
    func android() async throws {
        try await run { post in
            let answer = try await post("state=shop-phones.1&error=user_cancelled_authorize", [:])
            #expect(answer.status == 303)
            #expect(
                answer.fields["location"]
                    == "intent://callback?state=shop%2Dphones%2E1&error=user%5Fcancelled%5Fauthorize"
                    + "#Intent;package=\(Self.applicationID);scheme=signinwithapple;end")
        }
    }

    /// Values that would end their part of a URL, a header field, an attribute or a text in C.
    static let hostile = [
        "\"'><script>", ";component=org.evil/.Main;", "#Intent;package=org.evil;end",
        "a\r\nlocation: https://evil.example", "a\nset-cookie: a=b", "%00%0d%0a%23Intent",
        "a&code=b",
        "https://evil.example/", "//evil.example", "S.browser_fallback_url=https%3A%2F%2Fevil",
        "\u{202E}\u{FEFF}é", "shop-web.x", "../..", "{{title}}", "javascript:alert(1)",
    ]

    @Test(
        "G-31: whatever a value has, the target is the app's own, unchanged, and gets it whole",
        arguments: hostile)
    func hostileValues(value: String) async throws {
        try await run { post in
            for field in ["code", "id_token", "user", "error", "state"] {
                var values = [field: value]
                values["state"] = "shop-phones." + (values["state"] ?? "1")
                let form = values.map { "\($0.key)=\(encoded($0.value))" }.joined(separator: "&")
                let answer = try await post(form, [:])
                #expect(answer.status == 303, "\(field)")
                let location = try #require(answer.fields["location"])
                let end = "#Intent;package=\(Self.applicationID);scheme=signinwithapple;end"
                #expect(location.hasPrefix("intent://callback?") && location.hasSuffix(end))
                let query = location.dropFirst("intent://callback?".count).dropLast(end.count)
                #expect(!query.contains(/[^A-Za-z0-9%=&_]/), "\(location)")
                let received = try #require(FormParameters(query.utf8))
                #expect(received["state"] == values["state"])
                // No hostile value is an object of JSON.
                #expect(received[field] == (field == "user" ? nil : values[field]), "\(field)")
                #expect(answer.fields["set-cookie"] == nil)
            }
        }
    }

    @Test("G-31: of a user only what Apple documents passes, read and written by our JSON")
    func user() async throws {
        let users: [(given: String, kept: String?)] = [
            (
                #"{"name":{"firstName":"A","middle":"x"},"roles":["admin"]}"#,
                #"{"name":{"firstName":"A"}}"#
            ),
            (#"{"email":7,"name":"A"}"#, nil), (#"{"email":"a","email":"b"}"#, nil),
            (#"{"email":"a\u0000"}"#, nil),
            (#"{"email":"\";#Intent"}"#, #"{"email":"\";#Intent"}"#),
            ("[]", nil), ("{}", nil), (#"{"email":"a"} x"#, nil),
        ]
        try await run { post in
            for (given, kept) in users {
                let answer = try await post("state=shop-web.1&user=\(encoded(given))", [:])
                let location = try #require(answer.fields["location"])
                let received = FormParameters(location.dropFirst(Self.page.count + 1).utf8)
                #expect(received?["user"] == kept, "\(given)")
            }
        }
    }

    @Test("G-31: a target, and fields that Apple does not have, are not taken from the request")
    func foreignFields() async throws {
        try await run { post in
            let answer = try await post(
                "state=shop-web.1&redirect_uri=https%3A%2F%2Fevil.example&package=org.evil&app=silent",
                ["x-postern-app": "pk_silent"])
            #expect(answer.fields["location"] == "\(Self.page)#state=shop%2Dweb%2E1")
        }
    }

    @Test(
        "G-31: without a known app, or with a value that is too long, a person reads that it ends",
        arguments: [
            "", "code=a", "state=", "state=shop-web", "state=other.1", "state=silent.1",
            "state=.shop-web", "state=SHOP-WEB.1", "state=shop-web%0A.1", "state=%20shop-web.1",
            "state=%3Cb%3E.1", "state=shop-web.\(String(repeating: "a", count: 504))",
            "state=shop-web.1&code=\(String(repeating: "a", count: 1_025))",
            "state=shop-web.1&id_token=\(String(repeating: "a", count: 4_097))",
            "state=shop-web.1&user=\(String(repeating: "a", count: 2_049))",
            "state=shop-web.1&error=\(String(repeating: "a", count: 129))",
        ])
    func unknown(form: String) async throws {
        try await run(theme: .standard) { post in
            let answer = try await post(form, ["accept-language": "de"])
            #expect(answer.status == 400 && answer.fields["location"] == nil)
            #expect(answer.fields["content-type"] == "text/html; charset=utf-8")
            #expect(answer.fields["cache-control"] == "no-store")
            #expect(
                answer.fields["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(answer.text.contains("<html lang=\"de\">"))
            #expect(answer.text.contains("Öffnen Sie die App"))
            #expect(!answer.text.contains("shop-web") && !answer.text.contains("<b>"))
        }
    }

    @Test("the longest values pass")
    func longest() async throws {
        try await run { post in
            let lengths = [("code", 1_024), ("id_token", 4_096), ("error", 128)]
            let form = lengths.map { "&\($0.0)=\(String(repeating: ".", count: $0.1))" }.joined()
            let state = "shop-web.\(String(repeating: "a", count: 503))"
            let answer = try await post("state=\(state)\(form)", [:])
            #expect(answer.status == 303)
            let location = try #require(answer.fields["location"])
            #expect(location.utf8.count > 3 * lengths.map(\.1).reduce(0, +))
        }
    }

    @Test("a malformed form is 400, one of more than 16 KiB 413, and anything but a POST 405")
    func refused() async throws {
        try await run { post in
            for form in ["state=%", "state=shop-web.1&state=shop-web.2", "state=shop-web.1%00"] {
                let answer = try await post(form, [:])
                #expect(answer.status == 400 && answer.fields["location"] == nil, "\(form)")
            }
            let large = "state=shop-web.1&code=" + String(repeating: "a", count: 16 * 1024)
            #expect(try await post(large, [:]).status == 413)
        }
        try await run(method: "GET") { post in
            let answer = try await post("", [:])
            #expect(answer.status == 405 && answer.fields["allow"] == "POST")
        }
    }
}

/// As the value of a form's field.
private func encoded(_ text: String) -> String {
    text.utf8.map { byte in
        let isPlain = (48...57).contains(byte) || (65...90).contains(byte & 0xDF)
        let hex = String(byte, radix: 16, uppercase: true)
        return isPlain ? String(UnicodeScalar(byte)) : "%\(hex.count == 1 ? "0" : "")\(hex)"
    }.joined()
}
