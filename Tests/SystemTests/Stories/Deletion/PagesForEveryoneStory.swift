import Contracts
import Foundation
import HTTPSink
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("D0: deletion and data by page for people without an email address or a password")
    struct PagesForEveryone {
        private static let data = "your-data"
        private static let deletion = "delete-account"

        private let fixture: StoryFixture
        private let web: WebClient

        init() throws {
            fixture = try #require(StoryFixture.current)
            web = try WebClient(fixture.cluster)
        }

        private var origin: String { web.url.replacing("127.0.0.1", with: "localhost") }

        /// Signs in to a page by a code to a number.
        private func enter(
            _ page: String, by number: String, in browser: PageBrowser
        ) async throws -> WebClient.Response {
            let start = try await browser.open("\(origin)/\(page)?lang=en")
            let form = try await browser.submit(page, start, "way", "phone")
            #expect(form.body.contains("name=\"phone_number\""), "\(form.body)")
            let before = fixture.texts.requests.count
            let sent = try await browser.submit(page, form, "phone_number", number)
            #expect(sent.status == 200, "\(sent.body)")
            let code = try await fixture.code(to: number, after: before)
            let entered = try await browser.submit(page, sent, "code", code)
            guard entered.status == 303 else { return entered }
            return try await browser.open("\(origin)/\(page)")
        }

        /// Presses the button that downloads.
        private func fetched(
            _ shown: WebClient.Response, in browser: PageBrowser
        ) async throws -> [String: Data] {
            let folder = try TemporaryFolder()
            let parts = shown.body.components(separatedBy: "name=\"form\" value=\"")
            let token = try #require(parts.last?.split(separator: "\"").first)
            let status = try await browser.curl([
                "--header", "origin: null", "--header", "sec-fetch-site: same-origin", "--data",
                "form=\(token)&act=fetch", "--output", folder.file("whole.zip"),
                "\(origin)/\(Self.data)",
            ]).status
            #expect(status == 200)
            return try await unpacked(folder.file("whole.zip"))
        }

        private func delete(
            _ first: WebClient.Response, in browser: PageBrowser
        ) async throws -> WebClient.Response {
            #expect(first.body.contains("<li>You are signed out on all devices.</li>"))
            let question = try await browser.submit(Self.deletion, first, [:])
            return try await browser.submit(Self.deletion, question, ["choice": "now"])
        }

        @Test("G-32: a person with a phone number only fetches the data, and deletes the account")
        func phoneOnly() async throws {
            let (person, number) = (Person(37_021), "+4915120537021")
            let signedUp = try await fixture.signIn(person, byPhone: number)
            let app = SignedInApp(fixture, person, signedUp.session)
            let account = try #require(signedUp.account?.accountId)
            let browser = try PageBrowser()
            let empty = try await enter(Self.data, by: number, in: browser)
            #expect(empty.body.contains("There is no archive yet"), "\(empty.body)")
            var shown = try await browser.submit(Self.data, empty, "act", "order")
            let isReady = try await eventually(within: .seconds(30)) {
                shown = try await browser.open("\(origin)/\(Self.data)")
                return shown.body.contains("Your archive is ready")
            }
            #expect(isReady)
            let files = try await fetched(shown, in: browser)
            #expect(files.values.contains { $0.range(of: Data(number.utf8)) != nil })
            let left = try await browser.submit(Self.data, shown, "act", "sign-out")
            #expect(left.body.contains("name=\"phone_number\""), "\(left.body)")
            // While there is an archive a deletion waits.
            _ = try await fixture.backend.exports.cancelDataExport(.init(), app.context())

            let first = try await enter(Self.deletion, by: number, in: browser)
            let done = try await delete(first, in: browser)
            #expect(done.body.contains("Your account is being deleted"), "\(done.body)")
            #expect(try await app.isToldGone())
            let gone = try await eventually {
                try await fixture.cluster.tool(["accounts", "look-up", account]).errors
                    .contains("rpc/not-found")
            }
            #expect(gone)
        }

        @Test("G-32: a number without an account opens nothing, and no account comes to be")
        func stranger() async throws {
            let number = "+4915120537022"
            let browser = try PageBrowser()
            let refused = try await enter(Self.deletion, by: number, in: browser)
            #expect(refused.status == 422, "\(refused.body)")
            #expect(refused.body.contains("name=\"code\""))
            let later = try await browser.open("\(origin)/\(Self.deletion)")
            #expect(!later.body.contains("<li>You are"), "\(later.body)")
            let found = try await fixture.cluster.tool(["accounts", "look-up", number])
            #expect(found.errors.contains("rpc/not-found"), "\(found)")
        }

        @Test("G-32: a person who signs in with Google only comes by the app's link, once")
        func providerOnly() async throws {
            let person = Person(37_023)
            let token = try await fixture.googleToken(of: "g-37023", for: person)
            let signedIn = try await fixture.signIn(person, by: token)
            let app = SignedInApp(fixture, person, signedIn.session)
            let exports = fixture.backend.exports
            let early = try await refusal {
                try await exports.createExportLink(.init(), app.context())
            }
            #expect(early.code == .notFound)
            _ = try await exports.requestDataExport(.init(), app.context())
            let data = try await exports.createExportLink(.init(), app.context())
            let browser = try PageBrowser()
            var shown = try await browser.open(data.url)
            let isReady = try await eventually(within: .seconds(30)) {
                shown = try await browser.open("\(origin)/\(Self.data)")
                return shown.body.contains("Your archive is ready")
            }
            #expect(isReady, "\(shown.body)")
            #expect(try await fetched(shown, in: browser)["account.json"] != nil)
            #expect(try await browser.open(data.url).status == 400, "it works once")
            _ = try await exports.cancelDataExport(.init(), app.context())

            let link = try await fixture.backend.deletion.createDeletionLink(
                .init(), app.context())
            #expect(link.url.hasPrefix("\(origin)/\(Self.deletion)?token="))
            let done = try await delete(try await browser.open(link.url), in: browser)
            #expect(done.body.contains("Your account is being deleted"), "\(done.body)")
            #expect(try await app.isToldGone())
            let again = try await browser.open(link.url)
            #expect(again.status == 400 && !again.body.contains("<li>You are signed out"))
        }

        @Test("G-32: a link ends with its session, and the next one voids it")
        func ended() async throws {
            let person = Person(37_024)
            let (app, _) = try await fixture.verified(person)
            func link() async throws -> String {
                try await fixture.backend.deletion.createDeletionLink(.init(), app.context()).url
            }
            let (first, second) = (try await link(), try await link())
            let browser = try PageBrowser()
            #expect(try await browser.open(first).status == 400)
            #expect(try await browser.open(second).status == 200)
            _ = try await fixture.backend.auth.signOut(.init(), app.context())
            let refused = try await browser.open(second)
            #expect(refused.status == 400 && !refused.body.contains("<li>You are signed out"))
            #expect(try await fixture.signIn(person).session != nil, "it was not deleted")
        }
    }
}
