import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("G-31: Apple's answer is handed on to the app, by plain HTTP")
    struct AppleReturn {
        private static let page = "https://shop.example.org/apple"
        private static let intent = (
            start: "intent://callback?",
            end: "#Intent;package=org.example.shop;scheme=signinwithapple;end"
        )
        private static let apps = """
            shop-web:
              key: pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f
              platforms: [web]
              origins: [https://shop.example.org]
              apple-return: \(page)
            shop-phones:
              key: pk_9a0b3d5c7e1f42688d6c4b2a0f9e8d7c
              platforms: [ios, android]
              apple-return: android-app://org.example.shop

            """
        /// Each ends a part of an intent, a field of HTTP, markup or a text elsewhere.
        private static let hostile = [
            "\"'><script>alert(1)</script>", ";component=org.evil/.Main;end",
            "#Intent;package=org.evil;scheme=https;end", "a\r\nlocation: https://evil.example",
            "a\nset-cookie: a=b", "a&error=b#c?d/e", "shop-web.1", "https://evil.example/",
            "S.browser_fallback_url=https%3A%2F%2Fevil.example;end",
        ]
        private static let fields = ["state", "code", "id_token", "user", "error"]

        /// Posts a form with these values, and returns the status and the field `location`.
        private func post(
            _ values: [String: String], _ web: WebClient, _ options: [String] = []
        ) async throws -> (status: Int, location: String?, whole: String) {
            let data = values.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
            let answer = try await web.curl("/apple/callback", ["--include"] + data + options)
            let lines = answer.body.split(whereSeparator: \.isNewline)
            let locations = lines.filter { $0.lowercased().hasPrefix("location: ") }
            #expect(locations.count <= 1, "\(answer.body)")
            #expect(!lines.contains { $0.lowercased().hasPrefix("set-cookie:") }, "\(answer.body)")
            return (
                answer.status, locations.first.map { String($0.dropFirst(10)) }, answer.body
            )
        }

        /// Runs `test` when the web service has read the apps.
        private func run(_ test: (Cluster, WebClient) async throws -> Void) async throws {
            try await Cluster.with(environment: ["POSTERN_LOG_LEVEL": "debug"]) { cluster in
                let file = "\(cluster.data)/apps.yaml"
                let own = try String(contentsOfFile: file, encoding: .utf8)
                try (own + Self.apps).write(toFile: file, atomically: true, encoding: .utf8)
                let web = try WebClient(cluster)
                let isRead = try await eventually {
                    try await post(["state": "shop-web.1"], web).status == 303
                }
                #expect(isRead)
                try await test(cluster, web)
            }
        }

        @Test("whatever the values are, the target is the app's own, and nothing is kept of them")
        func hostileValues() async throws {
            try await run { cluster, web in
                for value in Self.hostile {
                    for field in Self.fields {
                        var values = ["state": "shop-phones.1", "code": "cKeptNowhere9"]
                        values[field] = field == "state" ? "shop-phones.\(value)" : value
                        let (status, location, whole) = try await post(values, web)
                        #expect(status == 303, "\(field): \(whole)")
                        let target = location ?? ""
                        #expect(target.hasPrefix(Self.intent.start), "\(target)")
                        #expect(target.hasSuffix(Self.intent.end), "\(target)")
                        let query = target.dropFirst(Self.intent.start.count)
                            .dropLast(Self.intent.end.count)
                        #expect(!query.contains(/[^A-Za-z0-9%=&_]/), "\(target)")
                        let names = query.split(separator: "&").map { $0.prefix { $0 != "=" } }
                        #expect(Set(names).count == names.count)
                        #expect(names.allSatisfy { Self.fields.contains(String($0)) }, "\(target)")
                    }
                }
                for file in cluster.files() {
                    #expect(!file.holds("cKeptNowhere9"), "\(file.path) holds a code")
                }
            }
        }

        @Test("another app's name, NUL, two values and 1 MiB lead nowhere else")
        func refused() async throws {
            try await run { _, web in
                let other = try await post(["state": "shop-web.shop-phones.1", "code": "c"], web)
                #expect(
                    other.location == "\(Self.page)#state=shop%2Dweb%2Eshop%2Dphones%2E1&code=c")
                for state in ["", "shop-web", "unknown.1", "development.1", " shop-web.1"] {
                    let none = try await post(
                        ["state": state, "code": "c"], web, ["--header", "accept-language: fr"])
                    #expect(none.status == 400 && none.location == nil, "\(state)")
                    #expect(none.whole.contains("<html lang=\"fr\">"), "\(none.whole)")
                }
                for form in ["state=shop-web.1&code=%00", "state=shop-web.1&state=shop-phones.1"] {
                    let malformed = try await post([:], web, ["--data", form])
                    #expect(malformed.status == 400 && malformed.location == nil, "\(form)")
                }
                let folder = try TemporaryFolder()
                let text = "state=shop-web.1&code=" + String(repeating: "a", count: 1_048_576)
                let file = try folder.write(text, to: "form")
                let large = try await post(
                    [:], web, ["--header", "expect: 100-continue", "--data", "@\(file)"])
                #expect(large.status == 413 && large.location == nil, "\(large.whole)")
                let get = try await web.curl("/apple/callback?state=shop-web.1")
                #expect(get.status == 405)
            }
        }
    }
}
