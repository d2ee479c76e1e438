import Cryptography
import Foundation
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("The page on which people set up a second factor, by plain HTTP")
    struct SecurityPage {
        private static let new = "Owners9Password"

        @Test("F-03: an app is set up, signs in, is lost, and is removed after a recovery code")
        func story() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let own = try await Self.verified(ada, cluster)
                let visit = try SecurityVisit(cluster)
                var page = try await visit.signIn(ada)
                #expect(page.body.contains("a sign-in asks for nothing more"))
                // A page is none of the person's devices.
                #expect(try await cluster.state(own.session).authenticated == true)
                page = try await visit.setUp(from: page)
                let codes = page.body.matches(of: /<li>([^<]+)<\/li>/).map { String($0.1) }
                    .filter { $0.contains("-") }
                #expect(codes.count == 10 && Set(codes).count == 10, "\(page.body)")
                let isOut = try await eventually(within: .seconds(2)) {
                    try await cluster.state(own.session).authenticated == nil
                }
                #expect(isOut, "with the first factor all other sessions end")
                #expect(try await cluster.signIn(ada).code == "auth/second-proof-required")
                // The codes are shown once.
                let later = try await visit.open()
                #expect(later.body.contains("Codes left: 10"))
                #expect(!later.body.contains(codes[0]))
                let out = try await visit.send(later, ["act": "sign-out"])
                #expect(out.body.contains("You are signed out"))

                // By the app: the code that was used before is no good.
                page = try await visit.signIn(ada)
                #expect(page.body.contains("One more step"))
                let wrong = try await visit.send(
                    page, ["kind": "totp_code", "code": visit.usedCode])
                #expect(wrong.status == 422 && wrong.body.contains("aria-invalid"))
                let done = try await visit.send(
                    wrong, ["kind": "totp_code", "code": try visit.nextCode()])
                #expect(done.status == 303, "\(done.body)")
                _ = try await visit.send(try await visit.open(), ["act": "sign-out"])

                // By a recovery code.
                page = try await visit.signIn(ada)
                page = try await visit.send(
                    page, ["kind": "totp_code", "other": "recovery_code"])
                let typed = codes[3].lowercased().replacing("-", with: "")
                let recovered = try await visit.send(
                    page, ["kind": "recovery_code", "code": typed])
                #expect(recovered.status == 303, "\(recovered.body)")
                page = try await visit.open()
                #expect(page.body.contains("Codes left: 9"))
                let factor = try #require(
                    page.body.firstMatch(of: /name="ask" value="(fac_[a-z0-9]+)"/)
                ).1
                let asked = try await visit.send(page, ["ask": String(factor)])
                #expect(asked.body.contains("It is the last one."))
                let removed = try await visit.send(
                    asked, ["act": "remove", "factor": String(factor)])
                #expect(removed.body.contains("The app is removed."), "\(removed.body)")
                #expect(try await cluster.signIn(ada).exitCode == 0)
                // The mails about it lead back to the page.
                let isLinked = try await eventually {
                    try await cluster.inbox(to: ada.email).contains("/security?lang=")
                }
                #expect(isLinked)
            }
        }

        @Test(
            "G-11, G-21: a reset and a download ask for the second proof, and do nothing before it")
        func otherPages() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                _ = try await Self.verified(ada, cluster)
                let visit = try SecurityVisit(cluster)
                _ = try await visit.setUp(from: try await visit.signIn(ada))
                let browser = visit.browser
                let forgot = try await browser.open("\(visit.web)/forgot-password?lang=en")
                _ = try await browser.submit("forgot-password", forgot, "email", ada.email)
                let link = try await browser.link("reset-password", to: ada.email, cluster)
                let asked = try await browser.submit(
                    "reset-password", try await browser.open(link), "password", Self.new)
                #expect(asked.body.contains("One more step"), "\(asked.body)")
                #expect(
                    try await cluster.signIn(ada).code == "auth/second-proof-required",
                    "the old password still counts")
                let done = try await visit.send(
                    asked, to: "reset-password",
                    ["kind": "totp_code", "code": try visit.nextCode()])
                #expect(done.status == 200 && done.body.contains("role=\"status\""), "\(done.body)")
                #expect(try await cluster.signIn(ada).code == "auth/invalid-credential")
                #expect(
                    try await cluster.signIn(ada, Self.new).code == "auth/second-proof-required")
            }
        }

        /// A person with a proved address.
        private static func verified(_ ada: Person, _ cluster: Cluster) async throws -> SignedIn {
            let own: SignedIn = try await cluster.signUp(ada).read()
            let verified = try await cluster.auth(
                "VerifyEmail", ["token": try await cluster.mailedToken(to: ada.email)],
                in: own.session)
            #expect(verified.exitCode == 0, "\(verified.errors)")
            return own
        }
    }
}

/// One person's browser on `/security`, and the person's authenticator app.
private final class SecurityVisit {
    let browser: PageBrowser
    let web: String
    private var secret = SecretBytes.empty
    private var usedStep: Int64 = 0

    init(_ cluster: Cluster) throws {
        browser = try PageBrowser()
        web = try WebClient(cluster).url.replacing("127.0.0.1", with: "localhost")
    }

    func open() async throws -> WebClient.Response {
        try await browser.open("\(web)/security?lang=en")
    }

    /// Sends a form with these fields and its token; a page has several forms.
    func send(
        _ shown: WebClient.Response, to page: String = "security", _ fields: [String: String]
    ) async throws -> WebClient.Response {
        let token = shown.body.firstMatch(of: /name="form" value="([^"]*)"/).map { String($0.1) }
        let data = ["form=\(token ?? "")"] + fields.map { "\($0.key)=\($0.value)" }
        return try await browser.curl(
            ["--header", "origin: null", "--header", "sec-fetch-site: same-origin"]
                + data.flatMap { ["--data-urlencode", $0] } + ["\(web)/\(page)"], origin: web)
    }

    /// Signs in by address and password.
    /// - Returns: the list, or what else is asked for.
    func signIn(_ person: Person) async throws -> WebClient.Response {
        let answer = try await send(
            try await open(), ["email": person.email, "password": Person.password])
        return answer.status == 303 ? try await open() : answer
    }

    /// Adds an app by the secret that the page shows.
    /// - Returns: the page with the recovery codes.
    func setUp(from list: WebClient.Response) async throws -> WebClient.Response {
        let begun = try await send(list, ["act": "begin"])
        #expect(begun.body.contains("<svg class=\"qr\""))
        let shown = try #require(begun.body.firstMatch(of: /<code>([A-Z2-7 ]+)<\/code>/)).1
        secret = SecretBytes(copying: try #require(Base32.decodeLeniently(String(shown))))
        let sealed = try #require(begun.body.firstMatch(of: /name="setup" value="([^"]+)"/)).1
        usedStep = TOTP.step(at: SystemTime().now())
        return try await send(
            begun,
            ["act": "confirm", "setup": String(sealed), "code": usedCode, "name": "Ada's phone"])
    }

    /// The code that was used last.
    var usedCode: String { code(usedStep) }

    /// The next code that was not used: one step ahead of the clock will do.
    func nextCode() throws -> String {
        usedStep = max(usedStep + 1, TOTP.step(at: SystemTime().now()))
        return code(usedStep)
    }

    private func code(_ step: Int64) -> String {
        String(decoding: TOTP.code(of: secret, at: step), as: UTF8.self)
    }
}
