import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("The pages behind the links in mails, by plain HTTP")
    struct Pages {
        private static let new = "Owners9Password"

        @Test("G-12: a newcomer's first mail leads to a page that confirms the address")
        func verify() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                #expect(try await cluster.signUp(ada).exitCode == 0)
                let browser = try PageBrowser()
                let link = try await browser.link("verify-email", to: ada.email, cluster)
                // A scanner opens it first.
                #expect(try await browser.curl(["--head", link]).status == 303)
                for _ in 0..<3 { #expect(try await browser.open(link).status == 200) }
                // The browser is French, the mail English.
                let french = try await browser.curl(
                    ["--location", "--header", "accept-language: fr", link])
                #expect(french.body.contains("<html lang=\"en\">"), "\(link)")
                let form = try await browser.open(link)
                #expect(form.body.contains("autocomplete=\"current-password\""))
                #expect(form.body.contains("value=\"\(ada.email)\" hidden"))
                let empty = try await browser.submit("verify-email", form, "password", "")
                #expect(empty.status == 422, "\(empty.body)")
                #expect(empty.body.contains("<title>Error: "))
                let done = try await browser.submit(
                    "verify-email", empty, "password", Person.password)
                #expect(done.status == 200, "\(done.body)")
                let signedIn: SignedIn = try await cluster.signIn(ada).read()
                #expect(signedIn.account.emailVerified == true)
            }
        }

        @Test("G-11: a forgotten password is replaced by two pages and a mail")
        func reset() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let first: SignedIn = try await cluster.signUp(ada).read()
                let browser = try PageBrowser()
                let web = try WebClient(cluster).url.replacing("127.0.0.1", with: "localhost")
                let forgot = try await browser.open("\(web)/forgot-password?lang=de")
                #expect(forgot.body.contains("<html lang=\"de\">"))
                let sent = try await browser.submit("forgot-password", forgot, "email", ada.email)
                #expect(sent.status == 200, "\(sent.body)")
                let link = try await browser.link("reset-password", to: ada.email, cluster)
                let weak = try await browser.submit(
                    "reset-password", try await browser.open(link), "password", "short")
                #expect(weak.status == 422, "\(weak.body)")
                let done = try await browser.submit("reset-password", weak, "password", Self.new)
                #expect(done.status == 200, "\(done.body)")
                #expect(
                    try await eventually {
                        try await cluster.state(first.session).authenticated == nil
                    })
                #expect(try await cluster.signIn(ada).code == "auth/invalid-credential")
                let signedIn: SignedIn = try await cluster.signIn(ada, Self.new).read()
                // The session that the reset opened has ended.
                let sessions = try await cluster.call(
                    "postern.gateway.v1.AccountSessions/ListSessions", "{}",
                    token: signedIn.session.accessToken)
                #expect(sessions.json.components(separatedBy: "\"sessionId\"").count == 2)
                let again = try await browser.open(link)
                #expect(again.status == 400, "a link works once")
                #expect(!again.body.contains("<form"))
            }
        }

        @Test("G-12: a change of address is confirmed on a page by the account's password")
        func change() async throws {
            try await Cluster.with { cluster in
                let (ada, new) = (Person(1), Person(2))
                let here: SignedIn = try await cluster.signUp(ada).read()
                let requested = try await cluster.call(
                    "postern.gateway.v1.Emails/RequestEmailChange",
                    "{\"newEmail\": \"\(new.email)\"}", token: here.session.accessToken)
                #expect(requested.exitCode == 0, "\(requested.errors)")
                let browser = try PageBrowser()
                let link = try await browser.link("change-email", to: new.email, cluster)
                let wrong = try await browser.submit(
                    "change-email", try await browser.open(link), "password", "Wrong7Horse")
                #expect(wrong.status == 422, "\(wrong.body)")
                let done = try await browser.submit(
                    "change-email", wrong, "password", Person.password)
                #expect(done.status == 200, "\(done.body)")
                #expect(try await cluster.signIn(new).exitCode == 0)
            }
        }

        @Test("postern pages preview writes files, and names what is wrong with a theme")
        func preview() async throws {
            let folder = try TemporaryFolder()
            let written = try await ProgramRun.run(
                "postern",
                ["pages", "preview", "--page", "verify-email", "--language", "ja"], in: folder.path)
            #expect(written.exitCode == 0, "\(written)")
            let page = try String(
                contentsOfFile: folder.file("pages-preview/verify-email.form.ja.html"),
                encoding: .utf8)
            #expect(page.contains("<html lang=\"ja\">"))
            let frames = try String(
                contentsOfFile: folder.file("pages-preview/ja.html"), encoding: .utf8)
            let files = [
                "style.css", "style.light.css", "style.dark.css", "icon.svg", "passkeys.js",
            ]
            for file in files {
                let path = folder.file("pages-preview/\(file)")
                #expect(FileManager.default.fileExists(atPath: path), "\(file)")
            }
            #expect(frames.components(separatedBy: "style.dark.css").count > 4)
            _ = try folder.write(":root { --accent: #bbbbbb; }", to: "theme.css")
            let refused = try await ProgramRun.run(
                "postern", ["pages", "preview", "--theme", folder.path], in: folder.path)
            #expect(refused.exitCode == 1)
            #expect(refused.errors.contains("--accent (#bbbbbb) on the card"), "\(refused)")
        }
    }
}

/// A browser without scripts: `curl` with a cookie jar.
struct PageBrowser {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The link to a page in the newest mail to an address; waits for the mail.
    func link(_ page: String, to address: String, _ cluster: Cluster) async throws -> String {
        let start = "/\(page)?token="
        var text = ""
        let isThere = try await eventually {
            text = try await cluster.inbox(to: address)
            return text.contains(start)
        }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard isThere, let link = words.last(where: { $0.contains(start) }),
            let scheme = link.range(of: "http://localhost:")
        else { throw ClusterError(message: "no link to \(page) for \(address): \(text)") }
        return String(link[scheme.lowerBound...])
    }

    /// Follows a link.
    func open(_ url: String) async throws -> WebClient.Response {
        try await curl(["--location", url], origin: url)
    }

    /// Sends the form of a page that was opened.
    func submit(
        _ page: String, _ form: WebClient.Response, _ field: String, _ input: String
    ) async throws -> WebClient.Response {
        try await submit(page, form, [field: input])
    }

    /// Sends the form of a page with its hidden fields. Of a page with several, `fields` says which.
    func submit(
        _ page: String, _ form: WebClient.Response, _ fields: [String: String]
    ) async throws -> WebClient.Response {
        let hidden = form.body.matches(of: /type="hidden" name="([a-z]+)" value="([^"]*)"/)
            .map { (String($0.1), String($0.2)) }
        guard hidden.contains(where: { $0.0 == "form" }) else {
            throw ClusterError(message: "no form on \(page): \(form.status) \(form.body)")
        }
        // Each form has the same token.
        let all = Dictionary(hidden, uniquingKeysWith: { first, _ in first })
            .merging(fields) { _, own in own }
        let data = all.map { "\($0.key)=\($0.value)" }
        return try await curl(
            ["--header", "origin: null", "--header", "sec-fetch-site: same-origin"]
                + data.flatMap { ["--data-urlencode", $0] } + ["\(form.origin)/\(page)"],
            origin: form.origin)
    }

    /// Runs `curl` with the cookies so far.
    /// - Parameter origin: A URL whose origin the response remembers.
    func curl(_ options: [String], origin: String = "") async throws -> WebClient.Response {
        let jar = folder.file("cookies")
        let run = try await ProgramRun.run(
            path: "/usr/bin/env",
            [
                "curl", "--silent", "--show-error", "--max-time", "20", "--cookie", jar,
                "--cookie-jar", jar, "--write-out", "\n%{http_code}",
            ] + options, limit: .seconds(30))
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        guard run.exitCode == 0, let status = lines.last.flatMap({ Int($0) }) else {
            throw ClusterError(message: "curl \(options): \(run.output) \(run.errors)")
        }
        return WebClient.Response(
            status: status, body: lines.dropLast().joined(separator: "\n"),
            origin: origin.split(separator: "/").prefix(2).joined(separator: "//"))
    }
}
