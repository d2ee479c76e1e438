import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("G-23: consent, by plain HTTP")
    struct Consent {
        /// The response of SetPrivacy; a field with its default value is absent.
        private struct Privacy: Decodable {
            struct Settings: Decodable {
                let marketing: Bool?
                let analytics: Bool?
            }

            let privacy: Settings
        }

        private static let acceptTerms = "REQUIRED_ACTION_ACCEPT_TERMS"
        private static let parentalConsent = "REQUIRED_ACTION_PARENTAL_CONSENT"

        private static func settings(terms: String) -> [String: String] {
            [
                "POSTERN_CONSENT": "required", "POSTERN_TERMS_VERSION": terms,
                "POSTERN_PRIVACY_VERSION": "p1",
                "POSTERN_TERMS_URL": "https://app.example/terms",
            ]
        }

        /// The second version, and the age gate with parents.
        private static let second = settings(terms: "t2").merging([
            "POSTERN_AGE_GATE": "required", "POSTERN_PARENTAL_CONSENT": "allowed",
        ]) { $1 }

        /// The response of a sign-in by anybody, also by a guest, which has no email.
        private struct Opened: Decodable {
            struct Account: Decodable { let accountId: String }

            let account: Account
            let session: Session
        }

        private static func versions(_ terms: String) -> [String: Any] {
            ["termsVersion": terms, "privacyVersion": "p1"]
        }

        private func call(
            _ web: WebClient, _ method: String, _ request: [String: Any] = [:],
            token: String? = nil, from person: Person? = nil
        ) async throws -> WebClient.Response {
            let json = try JSONSerialization.data(withJSONObject: request)
            let fields =
                ["content-type: application/json", "x-postern-app: \(web.appKey)"]
                + (token.map { ["authorization: Bearer \($0)"] } ?? [])
            // An address of this machine (RFC 1122, 3.2.1.3), since sign-ups are limited by it.
            let address = person?.address.replacing("198.18.", with: "127.18.") ?? "127.0.0.1"
            return try await web.curl(
                "/postern.gateway.v1.\(method)",
                ["--interface", address]
                    + fields.flatMap { ["--header", $0] }
                    + ["--data", String(decoding: json, as: UTF8.self)])
        }

        private func signUp(
            _ person: Person, accepting acceptance: [String: Any]?, _ web: WebClient
        ) async throws -> WebClient.Response {
            var request: [String: Any] = ["email": person.email, "password": Person.password]
            request["acceptance"] = acceptance
            return try await call(web, "Auth/SignUpWithPassword", request)
        }

        /// Whether the owner of a live session has something to do: by default, to accept the terms.
        private func isAsked(
            _ token: String, _ web: WebClient, for action: String = acceptTerms
        ) async throws -> Bool {
            let response = try await call(web, "Auth/CheckAuthState", token: token)
            let state: AuthState = try response.read()
            #expect(state.authenticated == true, "\(response)")
            return state.requiredActions?.contains(action) == true
        }

        @Test(
            "consent is required, and a new version asks again; a child's parent answers on a page"
        )
        func required() async throws {
            let folder = try TemporaryFolder()
            let token = try await first(in: folder)
            try await Cluster.with(folder, environment: Self.second) { cluster in
                let web = try WebClient(cluster)
                #expect(try await isAsked(token, web), "after the restart with a new version")
                let stale = try await call(
                    web, "Consents/AcceptTerms", Self.versions("t1"), token: token)
                #expect(stale.body.contains("auth/consent-required"), "\(stale)")
                let accepted = try await call(
                    web, "Consents/AcceptTerms", Self.versions("t2"), token: token)
                #expect(accepted.status == 200, "\(accepted)")
                #expect(try await !isAsked(token, web))
                let old = try await signUp(Person(2), accepting: Self.versions("t1"), web)
                #expect(old.body.contains("auth/consent-required"), "\(old)")
                try await askParent(cluster, web)
            }
        }

        /// A child signs up; a parent consents on the page, and withdraws there later.
        private func askParent(_ cluster: Cluster, _ web: WebClient) async throws {
            let (kid, parent) = (Person(3), Person(4))
            let missing = try await signUp(kid, accepting: Self.versions("t2"), web)
            #expect(missing.body.contains("auth/consent-required"), "\(missing)")
            let year = Calendar(identifier: .gregorian).component(.year, from: Date())
            let birthDate = ["birthDate": "\(year - 10)-01-01" as Any]
            let token = try await signUp(
                kid, accepting: Self.versions("t2").merging(birthDate) { $1 }, web
            ).read(SignedIn.self).session.accessToken
            #expect(try await isAsked(token, web, for: Self.parentalConsent))
            let own = try await call(
                web, "Consents/RequestParentalConsent", ["parentEmail": kid.email], token: token)
            #expect(own.body.contains("auth/invalid-email"), "\(own)")
            let asked = try await call(
                web, "Consents/RequestParentalConsent", ["parentEmail": parent.email],
                token: token)
            #expect(asked.body.contains("PARENTAL_CONSENT_STATE_REQUESTED"), "\(asked)")

            let browser = try PageBrowser()
            let link = try await browser.link("parent", to: parent.email, cluster)
            #expect(try await browser.curl(["--head", link]).status == 303)
            let question = try await browser.open(link)
            #expect(question.body.contains("value=\"give\""), "\(question)")
            #expect(try await isAsked(token, web, for: Self.parentalConsent), "only a POST answers")
            let given = try await browser.submit("parent", question, "answer", "give")
            #expect(given.status == 200, "\(given)")
            #expect(try await !isAsked(token, web, for: Self.parentalConsent))

            let withdrawal = try await browser.open(link)
            #expect(!withdrawal.body.contains("value=\"give\""), "\(withdrawal)")
            let withdrawn = try await browser.submit("parent", withdrawal, "answer", "refuse")
            #expect(withdrawn.status == 200, "\(withdrawn)")
            let isOver = try await eventually {
                let state = try await call(web, "Auth/CheckAuthState", token: token)
                return try state.read(AuthState.self).authenticated != true
            }
            #expect(isOver, "the account is being deleted")
        }

        /// Signs a person up who is `years` old.
        /// - Parameter device: Whose device it is.
        private func signUp(
            _ person: Person, aged years: Int?, on device: Person, guest: String? = nil,
            _ web: WebClient
        ) async throws -> WebClient.Response {
            var request = person.credentials()
            request["device"] = device.credentials()["device"]
            let year = Calendar(identifier: .gregorian).component(.year, from: Date())
            request["acceptance"] = years.map { ["birthDate": "\(year - $0)-01-01"] }
            return try await call(
                web, "Auth/SignUpWithPassword", request, token: guest, from: person)
        }

        @Test("the age gate: a device that was refused stays refused, and guests are asked later")
        func age() async throws {
            try await Cluster.with(environment: ["POSTERN_AGE_GATE": "required"]) { cluster in
                let web = try WebClient(cluster)
                let people = (1...4).map(Person.init)
                let (kid, other, ada, guest) = (people[0], people[1], people[2], people[3])
                let refused = try await signUp(kid, aged: 10, on: kid, web)
                #expect(refused.body.contains("auth/underage-user"), "\(refused)")
                let again = try await signUp(other, aged: 30, on: kid, web)
                #expect(again.body.contains("auth/underage-user"), "\(again)")
                let old = try await signUp(ada, aged: 30, on: ada, web)
                #expect(old.status == 200, "\(old)")

                let opened = try await call(web, "Guests/SignInAsGuest", from: guest)
                    .read(Opened.self)
                let token = opened.session.accessToken
                let missing = try await signUp(guest, aged: nil, on: guest, guest: token, web)
                #expect(missing.body.contains("auth/consent-required"), "\(missing)")
                #expect(missing.body.contains("acceptance.birth_date"), "\(missing)")
                let upgraded = try await signUp(guest, aged: 30, on: guest, guest: token, web)
                let account = try upgraded.read(Opened.self).account
                #expect(account.accountId == opened.account.accountId)
                let second = try await call(web, "Guests/SignInAsGuest", from: guest)
                    .read(Opened.self).session.accessToken
                let young = try await signUp(other, aged: 10, on: other, guest: second, web)
                #expect(young.body.contains("auth/underage-user"), "\(young)")
            }
        }

        /// Signs up under the first version, withdraws and accepts again.
        /// - Returns: the access token.
        private func first(in folder: TemporaryFolder) async throws -> String {
            var kept = ""
            try await Cluster.with(folder, environment: Self.settings(terms: "t1")) { cluster in
                let web = try WebClient(cluster)
                let options = try await call(web, "SignInOptions/GetSignInOptions")
                #expect(options.body.contains("CONSENT_MODE_REQUIRED"), "\(options)")
                #expect(options.body.contains("https://app.example/terms"), "\(options)")
                let refused = try await signUp(Person(1), accepting: nil, web)
                #expect(refused.status != 200, "\(refused)")
                #expect(refused.body.contains("auth/consent-required"), "\(refused)")
                let guest = try await call(web, "Guests/SignInAsGuest")
                #expect(guest.status == 200, "guests are asked at their upgrade: \(guest)")

                let signedUp = try await signUp(
                    Person(1), accepting: Self.versions("t1"), web
                ).read(SignedIn.self)
                let token = signedUp.session.accessToken
                #expect(try await !isAsked(token, web))
                let withdrawn = try await call(
                    web, "Consents/WithdrawConsent", ["kind": "CONSENT_KIND_TERMS"], token: token)
                #expect(withdrawn.body.contains("withdrawnAtMs"), "\(withdrawn)")
                #expect(try await isAsked(token, web))
                let accepted = try await call(
                    web, "Consents/AcceptTerms", Self.versions("t1"), token: token)
                #expect(accepted.status == 200, "\(accepted)")
                let set = try await call(
                    web, "Consents/SetPrivacy", ["marketing": true], token: token)
                let privacy = try set.read(Privacy.self).privacy
                #expect(privacy.marketing == true && privacy.analytics == nil)
                kept = token
            }
            return kept
        }
    }
}
