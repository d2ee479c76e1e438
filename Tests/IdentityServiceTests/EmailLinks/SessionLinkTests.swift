import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("G-32: links to pages that an app makes in its session", .timeLimit(.minutes(1)))
struct SessionLinkTests {
    private static let life = Duration.seconds(600)

    let fixture: IdentityFixture
    let ada: AccountID
    let token: String

    init() async throws {
        fixture = try IdentityFixture()
        (ada, token) = try await fixture.person()
    }

    private func deletionLink(
        _ session: String? = nil, key: String? = nil
    ) async throws -> GatewayV1.CreateDeletionLinkResponse {
        try await fixture.deletions.createDeletionLink(
            .init(), fixture.relayed(session ?? token, key))
    }

    private func exportLink(
        _ session: String? = nil, key: String? = nil
    ) async throws -> GatewayV1.CreateExportLinkResponse {
        try await fixture.exports.createExportLink(
            .init(), fixture.relayed(session ?? token, key))
    }

    private static func secret(_ url: String) -> String {
        String(url.split(separator: "=").last ?? "")
    }

    private static func holder(
        _ link: GatewayV1.CreateDeletionLinkResponse
    ) -> DeletionCall.Token { IdentityFixture.caller(link: secret(link.url)) }

    private func describe(
        _ purpose: GatewayV1.LinkPurpose, _ url: String
    ) async throws -> GatewayV1.DescribeLinkResponse {
        try await fixture.accounts.describeLink(
            .init(purpose: purpose, token: .init(Self.secret(url))), fixture.context())
    }

    private func export(
        byLink url: String
    ) async throws -> GatewayV1.DataExport? {
        try await fixture.exports.getDataExport(
            .init(linkToken: .init(Self.secret(url))), fixture.context()
        ).dataExport
    }

    private func fetch(_ id: String, byLink url: String) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        let (exports, context) = (fixture.exports, fixture.context())
        let request = GatewayV1.FetchDataExportRequest(
            exportId: id, linkToken: Self.secret(url))
        let items = IncomingItems<GatewayV1.FetchDataExportItem>.inProcess {
            try await exports.fetchDataExport(request, $0, context)
        }
        for try await item in items { bytes += item.data }
        return bytes
    }

    // MARK: Deletion

    @Test("by its link an account is deleted at once, also with a second factor, without a mail")
    func deletes() async throws {
        _ = try await fixture.plantFactor(in: ada.text)
        fixture.devices.proveAgain(token, amr: Authentication.totp.amr)
        try await fixture.relay()
        let mails = fixture.notifications.mails.count
        let link = try await deletionLink()
        #expect(link.url.hasPrefix("https://app.example/delete-account?token="))
        #expect(link.expiresAtMs == (fixture.time.now() + Self.life).milliseconds)
        try await fixture.relay()
        #expect(fixture.notifications.mails.count == mails)
        let record = "kind = 'account.link-created' AND detail = 'delete-account'"
        #expect(try await fixture.count("audit", where: record) == 1)
        let shown = try await describe(.deleteAccount, link.url)
        #expect(shown.usable && shown.email == "ada@example.org")
        #expect(!shown.passwordNeeded && !shown.sessionNeeded)
        #expect(shown.expiresAtMs == link.expiresAtMs)
        let holder = Self.holder(link)
        #expect(
            try await fixture.preview(holder).consequences.map(\.kind)
                == ["account", "sessions", "wait", "final"])
        #expect(try await fixture.requestDeletion(holder).state == .deleting)
        await fixture.performDeletion(of: ada)
        #expect(try await !fixture.exists(ada))
        #expect(try await fixture.count("links") == 0)
    }

    @Test("it serves once: a repeat gets the deletion that waits, and another use nothing")
    func once() async throws {
        let holder = Self.holder(try await deletionLink())
        let confirmation = try await fixture.confirm(holder)
        let waiting = try await fixture.requestDeletion(confirmation, by: holder, wait: true)
        #expect(waiting?.state == .waiting)
        #expect(
            try await fixture.requestDeletion(confirmation, by: holder, wait: true) == waiting)
        let other = try await refusal {
            try await fixture.requestDeletion(confirmation, by: holder, wait: false)
        }
        #expect(other.code == .invalidLink)
        #expect(try await refusal { try await fixture.preview(holder) }.code == .invalidLink)
        // A late repeat undoes no cancel.
        #expect(try await fixture.cancelDeletion(IdentityFixture.caller(token)))
        let late = try await refusal {
            try await fixture.requestDeletion(confirmation, by: holder, wait: true)
        }
        #expect(late.code == .invalidLink)
        #expect(try await fixture.deletion(of: ada) == nil)
    }

    /// Attack: a stolen access token deletes the account by the page.
    @Test("G-13: a session without a recent proof makes none")
    func proof() async throws {
        _ = try await fixture.prepareExport(token)
        fixture.time.advance(by: .seconds(300))
        let deletion = try await refusal { try await deletionLink() }
        #expect(deletion.code == .requiresRecentLogin)
        #expect(deletion.acceptableProofs == ["password"])
        #expect(try await refusal { try await exportLink() }.code == .requiresRecentLogin)
        fixture.devices.proveAgain(token, amr: ["pwd"])
        _ = try await deletionLink()
        // A first proof is none for an account with a second factor.
        _ = try await fixture.plantFactor(in: ada.text)
        #expect(try await refusal { try await deletionLink() }.code == .requiresRecentLogin)
        #expect(try await refusal { try await exportLink() }.code == .requiresRecentLogin)
        #expect(try await fixture.count("links", where: "purpose IN (10, 11)") == 1)
    }

    @Test("it ends after ten minutes, with its session, and with the next link")
    func ends() async throws {
        let first = try await deletionLink()
        let second = try await deletionLink()
        #expect(try await describe(.deleteAccount, first.url).usable == false)
        #expect(try await describe(.deleteAccount, second.url).usable)
        fixture.time.advance(by: Self.life)
        #expect(try await describe(.deleteAccount, second.url).usable == false)
        fixture.devices.proveAgain(token, amr: ["pwd"])
        let third = try await deletionLink()
        let holder = Self.holder(third)
        let confirmation = try await fixture.confirm(holder)
        fixture.devices.end(token)
        #expect(try await describe(.deleteAccount, third.url) == .init())
        let refused = try await refusal {
            try await fixture.requestDeletion(confirmation, by: holder)
        }
        #expect(refused.code == .invalidLink)
        #expect(try await fixture.deletion(of: ada) == nil)
    }

    /// Attack: the owner replaces the password, and the end of the thief's session is under way.
    @Test("S-06: an end that identity has recorded voids it before session learns of it")
    func recordedEnd() async throws {
        let (store, outbox) = (fixture.store, fixture.outbox)
        let account = ada
        for spares in [true, false] {
            let link = try await deletionLink()
            let session = spares ? fixture.devices.session(of: token) : ""
            try await store.write(about: [.account(account)]) { transaction in
                try transaction.endSessions(
                    of: account, provedUntil: transaction.at, except: session, outbox)
            }
            #expect(try await describe(.deleteAccount, link.url).usable == spares)
        }
    }

    @Test("a repeat gets the same link, which no store has")
    func repeated() async throws {
        let first = try await deletionLink(key: "k")
        fixture.time.advance(by: .seconds(60))
        #expect(try await deletionLink(key: "k") == first)
        #expect(try await deletionLink(key: "l") != first)
        #expect(try await fixture.count("links", where: "purpose = 10") == 1)
    }

    // MARK: Exports

    @Test("by its link the archive is seen, and fetched once; without an export there is none")
    func exports() async throws {
        #expect(try await refusal { try await exportLink() }.code == .notFound)
        #expect(try await fixture.count("links", where: "purpose = 11") == 0)
        let ready = try await fixture.prepareExport(token)
        let link = try await exportLink()
        #expect(link.url.hasPrefix("https://app.example/your-data?token="))
        let shown = try await describe(.yourData, link.url)
        #expect(shown.usable && !shown.passwordNeeded && !shown.sessionNeeded)
        for _ in 0..<2 { #expect(try await export(byLink: link.url) == ready) }
        let bytes = try await fetch(ready.exportId, byLink: link.url)
        #expect(Int64(bytes.count) == ready.bytes)
        let again = try await refusal { try await fetch(ready.exportId, byLink: link.url) }
        #expect(again.code == .invalidLink)
        #expect(try await refusal { try await export(byLink: link.url) }.code == .invalidLink)
        #expect(try await fixture.audited("export.fetched") == 1)
    }

    @Test("a link of another account, purpose or kind shows nothing, and deletes nothing")
    func strangers() async throws {
        let ready = try await fixture.prepareExport(token)
        let (_, eve) = try await fixture.person("eve@example.org")
        let own = try await fixture.prepareExport(eve)
        let theirs = try await exportLink(eve)
        let deletion = try await deletionLink()
        let mailed = "https://app.example/your-data?token=\(try await fixture.exportLink())"
        // Another account's export by an own link: the link stays.
        let strange = try await refusal { try await fetch(ready.exportId, byLink: theirs.url) }
        #expect(strange.code == .notFound)
        for url in [deletion.url, mailed, "x=", "x=invented"] {
            let refused = try await refusal { try await fetch(ready.exportId, byLink: url) }
            #expect([.invalidLink, .invalidAccessToken].contains(refused.code), "\(url)")
        }
        let wrong = try await refusal {
            try await fixture.preview(
                IdentityFixture.caller(link: Self.secret(theirs.url)))
        }
        #expect(wrong.code == .invalidLink)
        // In a session the token of this link is no mailed one.
        let inSession = try await refusal {
            try await fixture.fetch(eve, own.exportId, link: Self.secret(theirs.url))
        }
        #expect(inSession.code == .invalidLink)
        #expect(try await !fetch(own.exportId, byLink: theirs.url).isEmpty)
        #expect(try await fixture.exists(ada))
    }

    @Test("an ended session, and a cancelled export, end its link")
    func exportEnds() async throws {
        _ = try await fixture.prepareExport(token)
        let first = try await exportLink()
        #expect(try await fixture.cancelExport(token))
        #expect(try await refusal { try await export(byLink: first.url) }.code == .invalidLink)
        let next = try await fixture.prepareExport(token)
        let second = try await exportLink()
        fixture.devices.end(token)
        #expect(try await refusal { try await export(byLink: second.url) }.code == .invalidLink)
        let fetched = try await refusal { try await fetch(next.exportId, byLink: second.url) }
        #expect(fetched.code == .invalidLink)
    }
}
