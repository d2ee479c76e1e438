import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("D0: account deletion flow")
    struct AccountDeletionFlow {
        private static let day: Int64 = 24 * 3_600 * 1_000
        /// What the last mail says.
        private static let lastMail = "This is the last email about it"

        private let fixture: StoryFixture
        private let web: WebClient

        init() throws {
            fixture = try #require(StoryFixture.current)
            web = try WebClient(fixture.cluster)
        }

        @Test("D0: account deletion flow: the consequences, a second confirmation, and at once")
        func atOnce() async throws {
            let ada = Person(37_001)
            let (app, account) = try await fixture.verified(ada)
            try await app.write("settings", #"{"theme":"dark"}"#)
            let photo = try await web.putPhoto(TestPhoto.jpeg(), app.context())
            #expect(photo.status == 200, "\(photo.body)")
            let url = try photo.read(WebClient.UploadedPhoto.self).url

            let preview = try await app.preview(language: "de")
            let kinds = preview.consequences.map(\.kind)
            #expect(Set(kinds).isSuperset(of: ["account", "documents", "photo", "sessions"]))
            #expect(kinds.last == "final")
            #expect(
                preview.consequences.first { $0.kind == "photo" }?.sentence
                    == "Dein Profilfoto wird gelöscht.")
            #expect(preview.waitSeconds == 7 * 24 * 3_600)
            for token in ["", "invented"] {
                let refused = try await refusal {
                    try await fixture.backend.deletion.requestDeletion(
                        .init(confirmationToken: token), app.context())
                }
                #expect(refused.code == .invalidConfirmation)
            }
            #expect(try await app.state().authenticated, "nothing was deleted")

            let begun = ContinuousClock.now
            #expect(try await app.delete().state == .deleting)
            #expect(try await app.isToldGone())
            _ = try await fixture.letter(to: ada.email, saying: Self.lastMail)
            #expect(ContinuousClock.now - begun < .seconds(10), "D3 promises 10 s")
            #expect(try await web.photo(url, app.context()).status != 200)
            let gone = try await eventually {
                try await fixture.cluster.tool(["accounts", "look-up", account]).errors
                    .contains("rpc/not-found")
            }
            #expect(gone)
        }

        @Test("D0: account deletion flow: with a wait it can be cancelled in a session")
        func cancelled() async throws {
            let (app, _) = try await fixture.verified(Person(37_002))
            let waiting = try await app.delete(wait: true)
            #expect(waiting.state == .waiting)
            #expect(waiting.dueAtMs - waiting.requestedAtMs == 7 * Self.day)
            #expect(try await app.delete(wait: true) == waiting, "a repeat begins no other")
            #expect(try await app.deletion() == waiting)
            try await app.write("settings", #"{"theme":"dark"}"#)
            #expect(try await fixture.signIn(app.person).session != nil, "it works as before")
            _ = try await fixture.linkToken(to: app.person.email, page: "keep-account")

            let cancelled = try await fixture.backend.deletion.cancelDeletion(
                .init(), app.context())
            #expect(cancelled.cancelled)
            #expect(try await app.deletion().state == .none)
            let again = try await fixture.backend.deletion.cancelDeletion(.init(), app.context())
            #expect(!again.cancelled)
            _ = try await fixture.letter(to: app.person.email, saying: "was cancelled")
            #expect(try await app.state().authenticated)
        }

        @Test("D0: account deletion flow: with an export at hand it waits, without one it does not")
        func exported() async throws {
            let (app, _) = try await fixture.verified(Person(37_006))
            let token = try #require(app.session?.accessToken)
            func call(_ method: String) async throws -> Cluster.Answer {
                try await fixture.cluster.call(
                    "postern.gateway.v1.DataExports/\(method)", "{}", token: token)
            }
            let ordered = try await call("RequestDataExport")
            #expect(ordered.exitCode == 0, "\(ordered.errors)")
            let isReady = try await eventually(within: .seconds(30)) {
                try await call("GetDataExport").json.contains("DATA_EXPORT_STATE_READY")
            }
            #expect(isReady)
            let export = try await app.preview().consequences.first { $0.kind == "export" }
            #expect(export?.sentence.contains("after 7 days") == true, "\(export as Any)")
            #expect(try await app.delete().state == .waiting, "although it did not ask to wait")
            let kept = try await fixture.backend.deletion.cancelDeletion(.init(), app.context())
            #expect(kept.cancelled)
            let cancelled = try await call("CancelDataExport")
            #expect(cancelled.exitCode == 0, "\(cancelled.errors)")
            #expect(try await app.delete().state == .deleting)
            #expect(try await app.isToldGone())
        }

        @Test(
            "D0: account deletion flow, by page: the mailed link, the consequences, two questions")
        func byPage() async throws {
            let ada = Person(37_003)
            let (app, _) = try await fixture.verified(ada)
            let (browser, origin) = (try PageBrowser(), origin)
            let page = "delete-account"
            let start = try await browser.open("\(origin)/\(page)")
            #expect(start.body.contains("name=\"email\""))
            let sent = try await browser.submit(page, start, "email", ada.email)
            #expect(sent.status == 200, "\(sent.body)")
            let token = try await fixture.linkToken(to: ada.email, page: page)
            // A scanner opens it first.
            for _ in 0..<2 {
                _ = try await browser.open("\(origin)/\(page)?token=\(token)&lang=en")
            }
            let first = try await browser.open("\(origin)/\(page)?token=\(token)&lang=en")
            #expect(first.body.contains("<li>You are signed out on all devices.</li>"))
            #expect(try await app.state().authenticated, "opening it deletes nothing")
            let question = try await browser.submit(page, first, [:])
            #expect(question.body.contains("name=\"choice\" value=\"now\""), "\(question.body)")
            #expect(try await app.deletion().state == .none, "the last question is open")
            let done = try await browser.submit(page, question, ["choice": "now"])
            #expect(done.status == 200, "\(done.body)")
            #expect(done.body.contains("Your account is being deleted"))
            #expect(try await app.isToldGone())
            let used = try await browser.open("\(origin)/\(page)?token=\(token)")
            #expect(!used.body.contains("<li>You are signed out"))
        }

        @Test("D0: account deletion flow, by page: the mailed link keeps an account")
        func keptByPage() async throws {
            let (app, _) = try await fixture.verified(Person(37_004))
            #expect(try await app.delete(wait: true).state == .waiting)
            let page = "keep-account"
            let token = try await fixture.linkToken(to: app.person.email, page: page)
            let browser = try PageBrowser()
            let form = try await browser.open("\(origin)/\(page)?token=\(token)")
            #expect(try await app.deletion().state == .waiting, "opening it changes nothing")
            let done = try await browser.submit(page, form, [:])
            #expect(done.status == 200, "\(done.body)")
            #expect(try await app.deletion().state == .none)
        }

        @Test("G-20: an operator deletes an account, and sees deletions that wait")
        func byOperator() async throws {
            let (app, account) = try await fixture.verified(Person(37_005))
            let delete = ["accounts", "delete", app.person.email]
            let unasked = try await fixture.cluster.tool(delete)
            #expect(unasked.exitCode == 1 && unasked.errors.contains("--yes"), "\(unasked)")
            let waiting = try await fixture.cluster.tool(delete + ["--wait", "--actor", "ann"])
            #expect(waiting.output.hasPrefix("\(account): waiting until "), "\(waiting)")
            let list = try await fixture.cluster.tool(["deletions"])
            #expect(
                list.output.split(separator: "\n").contains {
                    $0.hasPrefix("\(account)  waiting until ") && $0.hasSuffix("by operator")
                }, "\(list)")
            let overdue = try await fixture.cluster.tool(["deletions", "--overdue"])
            #expect(overdue.exitCode == 0 && overdue.output.isEmpty, "\(overdue)")
            #expect(overdue.errors == "no overdue deletions\n")
            #expect(try await app.deletion().state == .waiting)
            let now = try await fixture.cluster.tool(delete + ["--yes"])
            #expect(now.output == "\(account): deleting\n", "\(now)")
            #expect(try await app.isToldGone())
            let isDone = try await eventually {
                try await !fixture.cluster.tool(["deletions"]).output.contains(account)
            }
            #expect(isDone)
        }

        private var origin: String { web.url.replacing("127.0.0.1", with: "localhost") }
    }
}
