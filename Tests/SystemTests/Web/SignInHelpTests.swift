import Foundation
import HTTPSink
import TestSupport
import Testing

extension SystemTests {
    @Suite("What helps a person to sign in, by plain HTTP")
    struct SignInHelp {
        /// Our error in an error of Connect.
        private struct Failed: Decodable {
            struct Detail: Decodable { let debug: Debug }
            struct Debug: Decodable {
                let code: String
                let alternatives: [String]?
            }

            let details: [Detail]

            var code: String? { details.first?.debug.code }
            var alternatives: [String]? { details.first?.debug.alternatives }
        }

        /// The response of DescribeProviderOutcome.
        private struct Outcome: Decodable {
            let code: String
            let alternatives: [String]?
        }

        /// The response of CheckAuthState.
        private struct State: Decodable {
            let endReason: String?
            let userMessage: String?
        }

        private static let device = ["deviceId": "d1", "platform": "web"]

        private func call(
            _ web: WebClient, _ method: String, _ request: [String: Any], fields: [String] = []
        ) async throws -> WebClient.Response {
            let json = try JSONSerialization.data(withJSONObject: request)
            let fields =
                ["content-type: application/json", "x-postern-app: \(web.appKey)"] + fields
            return try await web.curl(
                "/postern.gateway.v1.\(method)",
                fields.flatMap { ["--header", $0] }
                    + ["--data", String(decoding: json, as: UTF8.self)])
        }

        @Test("N-08: the text of a code ends with the lines by which phones fill it in")
        func lines() async throws {
            let sink = try await HTTPSink { _ in .answer(204) }
            let settings = [
                "POSTERN_PHONE_COUNTRIES": "DE", "POSTERN_SMS_PROVIDERS": "webhook",
                "POSTERN_SMS_WEBHOOK_URL": sink.url("/sms"), "POSTERN_PROVIDER_PLAINTEXT": "true",
                "POSTERN_SMS_WEBHOOK_SECRET": String(repeating: "ab", count: 32),
                "POSTERN_SMS_ANDROID_APP_HASH": "FA+9qCX9VSu",
                "POSTERN_SMS_WEB_DOMAIN": "accounts.example.com",
            ]
            try await Cluster.with(environment: settings) { cluster in
                let sent = try await call(
                    try WebClient(cluster), "PhoneSignIn/RequestSignInCode",
                    ["phoneNumber": "+4915112345678", "device": Self.device])
                #expect(sent.status == 200, "\(sent)")
                #expect(try await eventually { !sink.requests.isEmpty })
                let body = try #require(sink.requests.first?.text)
                let object = try JSONSerialization.jsonObject(with: Data(body.utf8))
                let text = try #require((object as? [String: Any])?["text"] as? String)
                let code = text.prefix { $0.isNumber }
                #expect(code.count == 6)
                #expect(
                    text.hasSuffix("\nFA+9qCX9VSu\n@accounts.example.com #\(code)"), "\(text)")
            }
            await sink.close()
        }

        @Test("X-08: an error says what else would do, the same for each address")
        func alternatives() async throws {
            let settings = [
                "POSTERN_PHONE_COUNTRIES": "DE", "POSTERN_GOOGLE_AUDIENCES": "web.example",
            ]
            try await Cluster.with(environment: settings) { cluster in
                let web = try WebClient(cluster)
                let (ada, nobody) = (Person(1), Person(2))
                _ = try await cluster.signUp(ada)
                // Gateways ask identity after their start, and no call waits for that.
                let isKnown = try await eventually {
                    let outcome: Outcome = try await call(
                        web, "ProviderNotices/DescribeProviderOutcome",
                        ["provider": "google", "outcome": "PROVIDER_OUTCOME_CANCELLED"]
                    ).read()
                    return outcome.code == "auth/google-cancelled"
                        && outcome.alternatives == ["passkey", "password", "phone"]
                }
                #expect(isKnown)
                for person in [ada, nobody] {
                    let wrong: Failed = try await web.auth(
                        "SignInWithPassword", person.credentials("Wrong7Horse"), key: web.appKey
                    ).read()
                    #expect(wrong.code == "auth/invalid-credential")
                    #expect(
                        wrong.alternatives
                            == ["reset-password", "passkey", "google", "phone", "sign-up"])
                }
                let country: Failed = try await call(
                    web, "PhoneSignIn/RequestSignInCode",
                    ["phoneNumber": "+33612345678", "device": Self.device]
                ).read()
                #expect(country.code == "auth/phone-country-not-allowed")
                #expect(country.alternatives == ["passkey", "google", "password"])
            }
        }

        @Test("D0: the end of a session has its sentence, in the person's language")
        func endedSession() async throws {
            try await Cluster.with { cluster in
                let web = try WebClient(cluster)
                let ada: SignedIn = try await cluster.signUp(Person(1)).read()
                let bearer = "authorization: Bearer \(ada.session.accessToken)"
                let live: State = try await call(
                    web, "Auth/CheckAuthState", [:], fields: [bearer]
                ).read()
                #expect(live.userMessage == nil)
                let out = try await call(web, "Auth/SignOut", [:], fields: [bearer])
                #expect(out.status == 200, "\(out)")
                for (language, sentence) in [
                    ("en", "You have signed out. Please sign in again."),
                    ("de-AT,de;q=0.9", "Du hast dich abgemeldet. Bitte melde dich erneut an."),
                ] {
                    let state: State = try await call(
                        web, "Auth/CheckAuthState", [:],
                        fields: [bearer, "accept-language: \(language)"]
                    ).read()
                    #expect(state.endReason == "END_REASON_SIGNED_OUT")
                    #expect(state.userMessage == sentence)
                }
            }
        }
    }
}
