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

@Suite("The preparation of exports", .timeLimit(.minutes(1)))
struct ExportWorkTests {
    let fixture: IdentityFixture
    let account: AccountID
    let token: String

    init() async throws {
        fixture = try IdentityFixture()
        let text = try await fixture.registerProved().accountId
        account = try #require(AccountID(text: text))
        token = fixture.devices.open(text)
        fixture.fillOtherServices()
    }

    @Test("the wait after a failure doubles, up to an hour")
    func waits() {
        let moment = Timestamp(milliseconds: 1_000)
        let waits = (Int64(1)...15).map { attempt -> Duration in
            guard case .preparing(let next) = ExportState.begun(attempts: attempt, at: moment)
            else { return .zero }
            return next - moment
        }
        #expect(waits.prefix(4) == [.seconds(2), .seconds(4), .seconds(8), .seconds(16)])
        #expect(waits.suffix(4).allSatisfy { $0 == .seconds(3_600) })
        #expect(
            ExportState.begun(attempts: .max, at: moment)
                == .preparing(nextAttemptAt: moment + .seconds(3_600)))
    }

    @Test("a service that fails, at its beginning or later, delays it, and leaves no file")
    func failure() async throws {
        for failing in [
            fixture.sessionData, fixture.notificationData, fixture.rateLimitData,
        ] {
            failing.fail(.unavailable)
            try await fixture.orderExport(token)
            #expect(try await fixture.exports.work.prepareDue())
            #expect(try await fixture.export(token).state == .preparing)
            #expect(try await fixture.blobs().isEmpty)
            #expect(try await !fixture.exports.work.prepareDue(), "it is not due yet")
            failing.fail(nil)
            fixture.time.advance(by: .seconds(2))
            #expect(try await fixture.exports.work.prepareDue())
            let ready = try await fixture.export(token)
            #expect(ready.state == .ready)
            #expect(try ZIPReader(await fixture.fetch(token, ready.exportId)).files.count == 11)
            #expect(try await fixture.cancelExport(token))
        }
        #expect(fixture.log.lines.contains { $0.contains("identity.export.failed") })
    }

    @Test("an attempt that the store cannot count is an error, after which the duty rests")
    func refusedWrites() async throws {
        try await fixture.orderExport(token)
        try await fixture.store.refuse("BEFORE UPDATE ON exports")
        await #expect(throws: (any Error).self) { try await fixture.exports.work.prepareDue() }
        try await fixture.store.unplant()
        #expect(try await fixture.exports.work.prepareDue())
        #expect(try await fixture.export(token).state == .ready)
    }

    @Test("those that failed come after those that were not tried yet")
    func order() async throws {
        fixture.sessionData.fail(.unavailable)
        try await fixture.orderExport(token)
        #expect(try await fixture.exports.work.prepareDue())
        fixture.time.advance(by: .seconds(10))
        var waiting: [AccountID] = []
        for name in ["bea", "cid"] {
            let text = try #require(
                try await fixture.register("\(name)@example.org").account
            ).accountId
            try await fixture.orderExport(fixture.devices.open(text))
            waiting.append(try #require(AccountID(text: text)))
        }
        let now = fixture.time.now()
        let due = try await fixture.store.read { try $0.exportsDue(at: now, limit: 4) }
        #expect(Set(due.prefix(2).map(\.account)) == Set(waiting))
        #expect(due.last?.account == account)
    }

    @Test("one that could not be prepared for seven days ends, and its account can order another")
    func givenUp() async throws {
        fixture.sessionData.fail(.unavailable)
        try await fixture.orderExport(token)
        #expect(try await fixture.exports.work.prepareDue())
        fixture.time.advance(by: ExportState.life - .milliseconds(1))
        let later = fixture.devices.open(account.text)
        #expect(try await fixture.export(later).state == .preparing)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await refusal { try await fixture.export(later) }.code == .notFound)
        // Nothing waits for it any more: neither the work nor a deletion.
        #expect(try await !fixture.exports.work.prepareDue())
        fixture.sessionData.fail(nil)
        #expect(try await fixture.prepareExport(later).state == .ready)
    }

    @Test("no mail goes to an address that is not proved: it may be another person's")
    func unproved() async throws {
        let text = try #require(
            try await fixture.register("victim@example.org").account
        ).accountId
        #expect(try await fixture.prepareExport(fixture.devices.open(text)).state == .ready)
        try await fixture.relay()
        #expect(!fixture.notifications.mails.contains { $0.template == "export-ready" })
        #expect(try await fixture.count("links", where: "purpose = 7") == 0)
    }

    /// The same work over other blobs, as after another start.
    private func work(_ blobs: any BlobStore) -> ExportWork {
        ExportWork(
            settings: fixture.settings, store: fixture.store, writer: fixture.writer,
            time: fixture.time, logger: fixture.log.logger(), blobs: blobs,
            collection: fixture.exports.work.collection, watchers: AccountWatchers())
    }

    @Test(
        "a disk that fails at any step delays it, and leaves no file",
        arguments: CountingBlobs.Step.allCases)
    func disk(step: CountingBlobs.Step) async throws {
        try await fixture.orderExport(token)
        let failing = CountingBlobs(fixture.service.blobs, failingAt: step)
        #expect(try await work(failing).prepareDue())
        #expect(try await fixture.export(token).state == .preparing)
        #expect(try await fixture.blobs().isEmpty)
        fixture.time.advance(by: .seconds(2))
        #expect(try await fixture.exports.work.prepareDue())
        #expect(try await fixture.export(token).state == .ready)
        #expect(try await fixture.blobs().count == 1)
    }

    @Test("after a crash at any step the next start prepares it anew, and one mail is sent")
    func crash() async throws {
        try await fixture.orderExport(token)
        // A crash in the middle of an attempt: it is counted, and may leave a blob without a row.
        fixture.sessionData.fail(.internalError)
        _ = try await fixture.exports.work.prepareDue()
        fixture.sessionData.fail(nil)
        try await fixture.service.blobs.write(BlobName(drawnFrom: fixture.randomness), [[1]])
        fixture.time.advance(by: BlobSweep.age)
        #expect(try await work(fixture.service.blobs).prepareDue())
        try await fixture.sweep()
        #expect(try await fixture.blobs().count == 1, "the blob without a row is gone")
        let later = fixture.devices.open(account.text)
        let ready = try await fixture.export(later)
        #expect(try await !fixture.fetch(later, ready.exportId).isEmpty)
        try await fixture.relay()
        #expect(fixture.notifications.mails.filter { $0.template == "export-ready" }.count == 1)
    }

    @Test("one that is cancelled while it is prepared leaves no row, no file and no mail")
    func cancelled() async throws {
        try await fixture.orderExport(token)
        let (work, token, fixture) = (fixture.exports.work, token, fixture)
        fixture.sessionData.onceCollected { _ = try await fixture.cancelExport(token) }
        #expect(try await work.prepareDue())
        #expect(try await fixture.count("exports") == 0)
        #expect(try await fixture.blobs().isEmpty)
        try await fixture.relay()
        #expect(!fixture.notifications.mails.contains { $0.template == "export-ready" })
    }

    @Test("the sweep leaves an archive that is being written, or whose row is not committed yet")
    func sweep() async throws {
        try await fixture.orderExport(token)
        let (work, fixture) = (fixture.exports.work, fixture)
        fixture.sessionData.onceCollected {
            #expect(try await fixture.blobs().count == 1)
            try await fixture.sweep()
        }
        #expect(try await work.prepareDue())
        #expect(try await fixture.export(token).state == .ready)
        #expect(try await fixture.blobs().count == 1)
    }

    @Test("a guest has nothing to prove an identity with, and orders none")
    func guest() async throws {
        let guest = try await fixture.identities.signInAsGuest(
            .init(device: IdentityFixture.device), fixture.context())
        let id = try #require(guest.account).accountId
        let token = fixture.devices.open(id, amr: ["anon"])
        let refused = try await refusal { try await fixture.orderExport(token) }
        #expect(refused.code == .requiresRecentLogin)
    }

    @Test("I-06: a restored copy has no export: one may have been cancelled, or its link used")
    func restored() async throws {
        _ = try await fixture.prepareExport(token)
        let folder = try TemporaryFolder()
        try await fixture.store.backup(to: folder.file("identity.sqlite"))
        let next = try IdentityFixture(folder: folder, time: fixture.time, seed: 2)
        try await IdentityRestore.settle(next.store)
        #expect(try await next.count("exports") == 0)
        let token = next.devices.open(account.text)
        #expect(try await refusal { try await next.export(token) }.code == .notFound)
    }

    @Test("while it is written, a few parts are in memory, however much there is")
    func memory() async throws {
        let parts = 200
        let part = SeededRandomness(seed: 9).bytes(SealedParts.partBytes)
        fixture.sessionData.have("session-history.json", .init(repeating: part, count: parts))
        let account = account
        let row = try #require(try await fixture.store.read { try $0.account(account) })
        let blobs = CountingBlobs(fixture.service.blobs)
        var archive = try await ExportArchiveWriter(
            BlobName(drawnFrom: fixture.randomness), in: blobs, fixture.exports.reader.vault(row))
        let bytes = try await fixture.exports.work.collection.write(
            .init(accountId: account.text), in: .english, to: &archive)
        #expect(blobs.largest == SealedParts.sealedPartBytes)
        #expect(blobs.count == SealedParts.count(ofBytes: Int(bytes)))
    }
}
