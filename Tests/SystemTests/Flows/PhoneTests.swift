import Foundation
import HTTPSink
import TestSupport
import Testing

extension SystemTests {
    @Suite("Codes to phones through all five programs")
    struct Phones {
        private static let number = "+49 151 12345678"

        @Test("G-06, R-01, A-06: D0's phone sign-in, its waits, and a number that changed hands")
        func story() async throws {
            let sink = try await HTTPSink { request in
                // The provider reports that this number has changed hands.
                request.text.contains("+4915112345670")
                    ? .answer(200, body: #"{"number_changed":true}"#) : .answer(204)
            }
            let folder = try TemporaryFolder()
            try await Cluster.with(folder, environment: try Self.settings(sink, folder)) {
                cluster in
                let first = try await signIn(Self.number, sink, cluster)
                #expect(first.isNewUser == true)
                #expect(try await cluster.state(first.session).authenticated == true)
                // The successful sign-in resets the waits; from now on it is the same account.
                let again = try await signIn("+4915112345678", sink, cluster)
                #expect(again.isNewUser != true)
                #expect(again.account.accountId == first.account.accountId)
                try await waits(sink, cluster)
                try await guesses(sink, cluster)
                try await refusals(cluster)
                try await changedHands(sink, cluster)
            }
            await sink.close()
        }

        /// Two requests within one minute.
        private func waits(_ sink: HTTPSink, _ cluster: Cluster) async throws {
            let number = "+4915112345671"
            let first: Requested = try await ask(number, cluster).read()
            #expect(first.attempt == 1)
            #expect((55_000...60_000).contains(Int(first.nextAfterMs) ?? 0), "\(first)")
            let sent = sink.requests.count
            let refusal: ErrorAnswer = try await ask(number, cluster, language: "de").read()
            #expect(refusal.code == "auth/too-many-requests" && refusal.action == "wait")
            #expect(refusal.userMessage.hasPrefix("Bitte warte "), "\(refusal.userMessage)")
            #expect(sink.requests.count <= sent + 1, "at most the first code's")
        }

        /// Five wrong codes; after that no code is checked.
        private func guesses(_ sink: HTTPSink, _ cluster: Cluster) async throws {
            let number = "+4915112345672"
            let requested: Requested = try await ask(number, cluster).read()
            let code = try await code(to: number, sink)
            let wrong = code == "000000" ? "000001" : "000000"
            for _ in 0..<5 {
                let answer = try await enter(number, requested.requestId, wrong, cluster)
                #expect(answer.code == "auth/invalid-verification-code")
            }
            let locked: ErrorAnswer = try await enter(number, requested.requestId, code, cluster)
                .read()
            #expect(locked.code == "auth/too-many-requests")
            #expect(locked.userMessage == "Too many incorrect codes. Please wait 15 minutes.")
        }

        private func refusals(_ cluster: Cluster) async throws {
            #expect(try await ask("0151 12345678", cluster).code == "auth/invalid-phone-number")
            #expect(
                try await ask("+33612345678", cluster).code == "auth/phone-country-not-allowed")
        }

        /// The provider reports the change with the first message to the number, which links the
        /// number.
        private func changedHands(_ sink: HTTPSink, _ cluster: Cluster) async throws {
            let number = "+4915112345670"
            let ada: SignedIn = try await cluster.signUp(Person(1)).read()
            let token = ada.session.accessToken
            let requested: Requested = try await ask(
                number, cluster, for: "LINK", token: token
            ).read()
            let linked = try await call(
                "LinkPhone",
                [
                    "requestId": requested.requestId, "phoneNumber": number,
                    "code": try await code(to: number, sink),
                ], cluster, token: token)
            #expect(linked.exitCode == 0, "\(linked.json)\(linked.errors)")
            // Until identity has the report, the code is enough, and a new code can be requested.
            var refusal: ErrorAnswer?
            let isGuarded = try await eventually {
                let count = sink.requests.count
                let requested: Requested = try await ask(number, cluster).read()
                let answer = try await enter(
                    number, requested.requestId, try await code(to: number, sink, after: count),
                    cluster)
                guard answer.code == "auth/second-proof-required" else { return false }
                refusal = try answer.read()
                return true
            }
            #expect(isGuarded && refusal?.action == "second-proof")
            let proof = try #require(refusal?.secondProof)
            #expect(proof.kinds == ["password"])
            let done: SignedIn = try await call(
                "CompleteSignIn",
                [
                    "challenge": proof.challenge, "password": Person.password,
                    "device": Self.device,
                ], cluster, of: "SignInChallenges"
            ).read()
            #expect(done.account.accountId == ada.account.accountId)
        }

        // MARK: calls

        private func signIn(
            _ number: String, _ sink: HTTPSink, _ cluster: Cluster
        ) async throws -> SignedInByPhone {
            let before = sink.requests.count
            let requested: Requested = try await ask(number, cluster).read()
            let code = try await code(to: number, sink, after: before)
            return try await enter(number, requested.requestId, code, cluster).read()
        }

        private func ask(
            _ number: String, _ cluster: Cluster, for purpose: String? = nil,
            token accessToken: String? = nil, language: String = "en"
        ) async throws -> Cluster.Answer {
            var request = ["phoneNumber": number]
            if let purpose { request["purpose"] = "PHONE_CODE_PURPOSE_\(purpose)" }
            return try await call(
                purpose == nil ? "RequestSignInCode" : "RequestPhoneCode", request, cluster,
                token: accessToken, language: language)
        }

        private func enter(
            _ number: String, _ request: String, _ code: String, _ cluster: Cluster
        ) async throws -> Cluster.Answer {
            try await call(
                "SignInWithPhoneCode",
                [
                    "requestId": request, "phoneNumber": number, "code": code,
                    "device": Self.device,
                ], cluster)
        }

        private static let device = ["deviceId": "d1", "platform": "cli"]

        private func call(
            _ method: String, _ request: [String: Any], _ cluster: Cluster, token: String? = nil,
            language: String? = nil, of service: String = "PhoneSignIn"
        ) async throws -> Cluster.Answer {
            let json = try JSONSerialization.data(withJSONObject: request)
            return try await cluster.call(
                "postern.gateway.v1.\(service)/\(method)", String(decoding: json, as: UTF8.self),
                metadata: ["client-address": "198.18.7.1", "accept-language": language],
                token: token)
        }

        /// The code of the latest message to a number; waits for the message.
        private func code(
            to number: String, _ sink: HTTPSink, after count: Int = 0
        ) async throws -> String {
            let digits = "+" + number.filter(\.isNumber)
            var text = ""
            let isThere = try await eventually {
                // Notices go to the number, too.
                let last = sink.requests.dropFirst(count).last {
                    $0.text.contains(digits) && $0.text.contains(/"text":"[0-9]/)
                }
                text = last?.text ?? ""
                return !text.isEmpty
            }
            try #require(isThere, "no message to \(number)")
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let words = try #require(object?["text"] as? String)
            return String(words.prefix { $0.isNumber })
        }

        private static func settings(
            _ sink: HTTPSink, _ folder: TemporaryFolder
        ) throws -> [String: String] {
            [
                "POSTERN_PHONE_COUNTRIES": "DE", "POSTERN_SMS_PROVIDERS": "webhook",
                "POSTERN_SMS_WEBHOOK_URL": sink.url("/sms"), "POSTERN_PROVIDER_PLAINTEXT": "true",
                "POSTERN_SMS_WEBHOOK_SECRET_FILE": try folder.write(
                    String(repeating: "s", count: 32), to: "sms-secret"),
            ]
        }
    }
}

/// The response of RequestSignInCode and RequestPhoneCode.
private struct Requested: Decodable {
    let requestId: String
    let attempt: Int
    let nextAfterMs: String
}

/// The response of SignInWithPhoneCode; a field with its default value is absent.
private struct SignedInByPhone: Decodable {
    struct Account: Decodable {
        let accountId: String
        let phoneNumber: String
    }

    let account: Account
    let session: Session
    let isNewUser: Bool?
}
