import Contracts
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

@Suite("G-21: an export of all data of an account", .timeLimit(.minutes(1)))
struct ExportTests {
    let fixture: IdentityFixture
    let account: AccountID
    let token: String

    init() async throws {
        fixture = try IdentityFixture()
        let text = try await fixture.registerProved().accountId
        account = try #require(AccountID(text: text))
        token = fixture.devices.open(text)
    }

    @Test("it is ordered, prepared, and fetched as one archive of all services' parts")
    func whole() async throws {
        fixture.fillOtherServices()
        let ordered = try await fixture.orderExport(token, language: "de-CH,en;q=0.5")
        #expect(ordered.exportId.hasPrefix("exp_"))
        #expect(ordered.state == .preparing)
        #expect(ordered.expiresAtMs == 0 && ordered.bytes == 0)
        #expect(try await fixture.exports.work.prepareDue())
        #expect(try await !fixture.exports.work.prepareDue(), "there is nothing more to do")

        let ready = try await fixture.export(token)
        #expect(ready.exportId == ordered.exportId)
        #expect(ready.state == .ready)
        #expect(
            ready.expiresAtMs == (fixture.time.now() + .seconds(7 * 86_400)).milliseconds)
        let bytes = try await fixture.fetch(token, ready.exportId)
        #expect(Int64(bytes.count) == ready.bytes)
        let archive = try ZIPReader(bytes)
        #expect(
            archive.files.map(\.name) == [
                "account.json", "sign-in-methods.json", "consents.json", "documents.json",
                "guest-data.json", "photo.json", "account-history.json", "sessions.json",
                "messages.json",
                "limits.json", "index.html",
            ])
        #expect(archive["account.json"]?.contains("ada@example.org") == true)
        #expect(archive["sessions.json"] == "[\n]\n")
        let page = try #require(archive["index.html"])
        #expect(page.contains("<html lang=\"de\">"))
        for file in archive.files.dropLast() {
            #expect(page.contains("<a href=\"\(file.name)\">"), "\(file.name)")
        }
        #expect(!page.contains("{{") && !page.contains("<script"))
        // The others are asked for the account by all its names.
        let subject = AccountDataV1.DataSubject(
            accountId: account.text, emails: ["ada@example.org"])
        #expect(fixture.rateLimitData.collected == [subject])
        #expect(try await fixture.audited("export.requested") == 1)
        #expect(try await fixture.audited("export.ready") == 1)
        #expect(try await fixture.audited("export.fetched") == 1)
    }

    @Test("a second order returns the first one; nothing is prepared twice, and one mail is sent")
    func once() async throws {
        fixture.fillOtherServices()
        let first = try await fixture.orderExport(token)
        #expect(try await fixture.orderExport(token) == first)
        _ = try await fixture.exports.work.prepareDue()
        let ready = try await fixture.export(token)
        #expect(try await fixture.orderExport(token) == ready)
        #expect(try await !fixture.exports.work.prepareDue())
        try await fixture.relay()
        #expect(fixture.notifications.mails.filter { $0.template == "export-ready" }.count == 1)
        #expect(try await fixture.blobs().count == 1)
    }

    @Test("an order and a download need a proof of the last five minutes, each its own")
    func proofs() async throws {
        let ready = try await fixture.prepareExport(token)
        fixture.time.advance(by: .seconds(300))
        let fetched = try await refusal { try await fixture.fetch(token, ready.exportId) }
        #expect(fetched.code == .requiresRecentLogin)
        #expect(fetched.acceptableProofs == ["password"])
        let link = try await fixture.exportLink()
        let linked = try await refusal {
            try await fixture.fetch(token, ready.exportId, link: link)
        }
        #expect(linked.code == .requiresRecentLogin)
        let ordered = try await refusal { try await fixture.orderExport(token) }
        #expect(ordered.code == .requiresRecentLogin)
        // Its state can be seen, and it can be cancelled.
        #expect(try await fixture.export(token) == ready)
        #expect(try await fixture.cancelExport(token))
    }

    @Test("the mailed link serves once, and only its own account")
    func link() async throws {
        let ready = try await fixture.prepareExport(token)
        let link = try await fixture.exportLink()
        let eve = try #require(try await fixture.register("eve@example.org").account).accountId
        let thief = fixture.devices.open(eve)
        let strange = try await refusal {
            try await fixture.fetch(thief, ready.exportId, link: link)
        }
        #expect(strange.code == .notFound)
        // With an export of her own, she gets neither hers nor his by it.
        let own = try await fixture.prepareExport(thief)
        let other = try await refusal { try await fixture.fetch(thief, own.exportId, link: link) }
        #expect(other.code == .invalidLink)

        #expect(try await !fixture.fetch(token, ready.exportId, link: link).isEmpty)
        let again = try await refusal {
            try await fixture.fetch(token, ready.exportId, link: link)
        }
        #expect(again.code == .invalidLink)
        #expect(
            try await refusal {
                try await fixture.fetch(token, ready.exportId, link: "x")
            }.code == .invalidLink)
        #expect(try await !fixture.fetch(token, ready.exportId).isEmpty, "the app needs none")
    }

    @Test("a download goes on at any offset, and not behind the end")
    func offsets() async throws {
        fixture.sessionData.have(
            "sessions.json", [SeededRandomness(seed: 3).bytes(150_000)])
        try await fixture.orderExport(token)
        _ = try await fixture.exports.work.prepareDue()
        let ready = try await fixture.export(token)
        let whole = try await fixture.fetch(token, ready.exportId)
        #expect(whole.count > 2 * SealedParts.partBytes)
        let part = Int64(SealedParts.partBytes)
        for offset in [1, part - 1, part, part + 1, ready.bytes - 1] {
            let rest = try await fixture.fetch(token, ready.exportId, from: offset)
            #expect(rest == Array(whole.dropFirst(Int(offset))))
        }
        for offset in [-1, ready.bytes, .max] {
            let error = try await refusal {
                try await fixture.fetch(token, ready.exportId, from: offset)
            }
            #expect(error.fields == ["offset"])
        }
        #expect(try await fixture.audited("export.fetched") == 1, "the rest is the same download")
    }

    @Test("a download is audited once for each session, at whatever byte it begins")
    func audited() async throws {
        let ready = try await fixture.prepareExport(token)
        let thief = fixture.devices.open(account.text)
        for _ in 0..<3 { _ = try await fixture.fetch(thief, ready.exportId, from: 1) }
        #expect(try await fixture.audited("export.fetched") == 1)
        // Two sessions in turn make no more of it.
        for _ in 0..<3 {
            _ = try await fixture.fetch(token, ready.exportId)
            _ = try await fixture.fetch(thief, ready.exportId)
        }
        #expect(try await fixture.audited("export.fetched") == 2)
        // Another export is another one.
        #expect(try await fixture.cancelExport(token))
        let next = try await fixture.prepareExport(token)
        _ = try await fixture.fetch(token, next.exportId, from: 1)
        #expect(try await fixture.audited("export.fetched") == 3)
    }

    @Test("of the sessions that fetched it, the latest are known, however many there are")
    func fetchers() async throws {
        try await fixture.orderExport(token)
        let (account, max) = (account, ExportArchive.fetchersMax)
        let isFirst = try await fixture.store.write(about: [.account(account)]) { transaction in
            try (0...max).map { try transaction.recordFetch(of: account, by: "ses_\($0)") }
        }
        #expect(isFirst.allSatisfy { $0 })
        let again = try await fixture.store.write(about: [.account(account)]) { transaction in
            try [1, max, 0].map { try transaction.recordFetch(of: account, by: "ses_\($0)") }
        }
        #expect(again == [false, false, true])
    }

    @Test("a download that is refused for too many streams is not audited, and uses no link")
    func crowded() async throws {
        let ready = try await fixture.prepareExport(token)
        let link = try await fixture.exportLink()
        let (fixture, account, token) = (fixture, account, token)
        let refused = try await watching(AccountWatchers.perAccountMax) {
            try await refusal { try await fixture.fetch(token, ready.exportId, link: link) }
        }
        #expect(refused.code == .resourceExhausted)
        #expect(try await fixture.audited("export.fetched") == 0)
        #expect(try await !fixture.fetch(token, ready.exportId, link: link).isEmpty)

        func watching<Value: Sendable>(
            _ count: Int, _ body: @escaping @Sendable () async throws -> Value
        ) async throws -> Value {
            guard count > 0 else { return try await body() }
            var value: Value?
            try await fixture.exports.watchers.watching(account) { _ in
                value = try await watching(count - 1, body)
            }
            return try #require(value)
        }
    }

    @Test("it ends after seven days, with its file")
    func expiry() async throws {
        let ready = try await fixture.prepareExport(token)
        let link = try await fixture.exportLink()
        fixture.time.advance(by: .seconds(7 * 86_400))
        let later = fixture.devices.open(account.text)
        #expect(try await refusal { try await fixture.export(later) }.code == .notFound)
        let fetched = try await refusal {
            try await fixture.fetch(later, ready.exportId, link: link)
        }
        #expect(fetched.code == .notFound)
        let account = account, now = fixture.time.now()
        #expect(try await !fixture.store.read { try $0.hasExport(of: account, at: now) })
        fixture.time.advance(by: .seconds(1))
        try await fixture.purge()
        try await fixture.sweep()
        #expect(try await fixture.count("exports") == 0)
        #expect(try await fixture.blobs().isEmpty)
        // The account can have another one.
        #expect(try await fixture.orderExport(later).state == .preparing)
    }

    @Test("it is cancelled in any state, and a repeat changes nothing")
    func cancel() async throws {
        #expect(try await !fixture.cancelExport(token))
        try await fixture.orderExport(token)
        #expect(try await fixture.cancelExport(token))
        #expect(try await !fixture.exports.work.prepareDue())
        let ready = try await fixture.prepareExport(token)
        let link = try await fixture.exportLink()
        #expect(try await fixture.cancelExport(token))
        #expect(try await !fixture.cancelExport(token))
        #expect(try await fixture.blobs().isEmpty)
        #expect(try await fixture.count("links", where: "purpose = 7") == 0)
        #expect(
            try await refusal {
                try await fixture.fetch(token, ready.exportId, link: link)
            }.code == .notFound)
        #expect(try await fixture.audited("export.cancelled") == 2)
    }

    @Test("a stream follows it until it is ready")
    func watch() async throws {
        #expect(
            try await refusal {
                try await fixture.watchExport(token).makeAsyncIterator().next()
            }.code == .notFound)
        fixture.fillOtherServices()
        try await fixture.orderExport(token)
        let states = fixture.watchExport(token).makeAsyncIterator()
        #expect(try await states.next()?.dataExport?.state == .preparing)
        _ = try await fixture.exports.work.prepareDue()
        #expect(try await states.next()?.dataExport?.state == .ready)
        #expect(try await states.next() == nil)
    }

    @Test("at rest it is sealed, and its parts can neither change places nor be left out")
    func sealed() async throws {
        fixture.sessionData.have("sessions.json", [SeededRandomness(seed: 3).bytes(150_000)])
        try await fixture.orderExport(token)
        _ = try await fixture.exports.work.prepareDue()
        let account = account, now = fixture.time.now()
        let row = try #require(try await fixture.store.read { try $0.account(account) })
        let export = try #require(
            try await fixture.store.read { try $0.export(of: account, at: now) })
        guard case .ready(let archive) = export.state else {
            Issue.record("it is not ready")
            return
        }
        let file = try #require(
            try await fixture.service.blobs.read(archive.blob, at: 0, count: 1 << 20))
        #expect(!String(decoding: file, as: UTF8.self).contains("account.json"))
        let vault = try fixture.exports.reader.vault(row)
        #expect(archive.parts == 3)
        let first = try await archive.part(0, in: fixture.service.blobs, vault)
        #expect(first?.count == SealedParts.partBytes)
        let sealed = Array(file.prefix(SealedParts.sealedPartBytes))
        for (index, isLast) in [(1, false), (0, true)] {
            #expect(throws: (any Error).self) {
                try vault.openBytes(
                    sealed, .exportPart(archive.blob, index: index, isLast: isLast))
            }
        }
    }

    @Test("the deletion of the account deletes it")
    func deletion() async throws {
        _ = try await fixture.prepareExport(token)
        let account = account
        _ = try await fixture.store.write(about: [.account(account)]) {
            try $0.apply(.beginDeletion, account)
        }
        _ = try await fixture.service.life.accountData.forgetAccountData(
            .init(subject: .init(accountId: account.text)),
            fixture.context(application: "identity"))
        #expect(try await fixture.count("exports") == 0)
        #expect(try await fixture.blobs().isEmpty)
    }
}
