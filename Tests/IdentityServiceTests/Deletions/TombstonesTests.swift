import Cryptography
import FoundationEssentials
import Glibc
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-20: deleted accounts stay deleted in a restored store", .timeLimit(.minutes(1)))
struct TombstonesTests {
    let fixture: IdentityFixture
    let ada: AccountID
    let eve: AccountID
    let log = CapturedLog()

    init() async throws {
        let fixture = try IdentityFixture()
        self.fixture = fixture
        func account(_ email: String) async throws -> AccountID {
            let text = try #require(try await fixture.register(email).account).accountId
            return try #require(AccountID(text: text))
        }
        ada = try await account("ada@example.org")
        eve = try await account("eve@example.org")
    }

    private func file(_ folder: String) -> String {
        fixture.folder.file("\(folder)/\(Tombstones.fileName)")
    }

    private func tombstones(
        _ folders: String..., kept: Duration? = .seconds(86_400)
    ) throws -> Tombstones {
        try Tombstones(
            folders: folders.map { fixture.folder.file($0) }, keys: fixture.keys, keptFor: kept,
            time: fixture.time, logger: log.logger())
    }

    private func replay(_ tombstones: Tombstones) async throws {
        try await tombstones.replay(in: fixture.store, fixture.deletions.deletions)
    }

    private func deleting() async throws -> [String] {
        let accounts = [ada, eve]
        return try await fixture.store.read { session in
            try accounts.filter { try session.account($0)?.status == .deleting }.map(\.text)
        }
    }

    @Test("an account with a tombstone is being deleted before the service serves; no other is")
    func replayed() async throws {
        try await tombstones("tombstones").add(ada, at: fixture.time.now())
        // The service of the fixture has its tombstones in the data folder.
        try await fixture.service.replayTombstones()
        #expect(try await deleting() == [ada.text])
        let source = try await fixture.store.read { [ada] in try $0.deletion(of: ada)?.source }
        #expect(source == .tombstone)
        let error = try await refusal { try await fixture.signIn() }
        #expect([.accountDisabled, .invalidCredential].contains(error.code))
        _ = try await fixture.signIn("eve@example.org")
    }

    @Test("a second start finds nothing more to do")
    func repeated() async throws {
        let tombstones = try tombstones("own")
        for account in [ada, ada] { try await tombstones.add(account, at: fixture.time.now()) }
        try await replay(tombstones)
        try await replay(try self.tombstones("own"))
        #expect(try await fixture.count("deletions") == 1)
        #expect(log.lines.count { $0.contains("identity.tombstones.replayed") } == 1)
    }

    @Test("a deletion that waits in the copy is carried out as one that was carried out before")
    func waiting() async throws {
        let (account, writing) = (ada, fixture.deletions.deletions)
        _ = try await fixture.store.write(about: [.account(account)]) { transaction in
            try transaction.beginDeletion(
                of: account, source: .owner, due: transaction.at + DeletionSettings().wait,
                writing)
        }
        let tombstones = try tombstones("own")
        try await tombstones.add(ada, at: fixture.time.now())
        try await replay(tombstones)
        let deletion = try #require(try await fixture.deletion(of: ada))
        #expect(deletion.source == .tombstone && deletion.step == .tombstone)
        #expect(try await deleting() == [ada.text])
    }

    @Test("without a tombstone nothing begins")
    func none() async throws {
        try await replay(try tombstones("own"))
        #expect(try await deleting().isEmpty)
    }

    @Test("the file names no account, and another master key finds none")
    func hashed() async throws {
        try await tombstones("own").add(ada, at: fixture.time.now())
        let text = try String(contentsOfFile: file("own"), encoding: .utf8)
        #expect(!text.contains(ada.text) && !text.contains("\(ada.key)"))
        #expect(text.hasSuffix(" \(fixture.time.now().milliseconds)\n"))
        let stranger = try IdentityKeys(
            master: .init(copying: [UInt8](repeating: 8, count: 32)),
            signInProofs: .init(copying: [UInt8](repeating: 9, count: 32)),
            randomness: fixture.randomness)
        let other = try Tombstones(
            folders: [fixture.folder.file("own")], keys: stranger, keptFor: nil,
            time: fixture.time, logger: log.logger())
        try await replay(other)
        #expect(try await deleting().isEmpty)
    }

    @Test("every folder has the line; one that was lost is completed from the others")
    func folders() async throws {
        try await tombstones("first", "second").add(ada, at: fixture.time.now())
        let text = try String(contentsOfFile: file("first"), encoding: .utf8)
        #expect(try String(contentsOfFile: file("second"), encoding: .utf8) == text)
        #expect(unlink(file("first")) == 0)
        let tombstones = try tombstones("first", "second", "third")
        for folder in ["first", "second", "third"] {
            #expect(try String(contentsOfFile: file(folder), encoding: .utf8) == text)
        }
        #expect(log.lines.count { $0.contains("identity.tombstones.completed") } == 2)
        try await replay(tombstones)
        #expect(try await deleting() == [ada.text])
    }

    @Test("lines older than tombstones-kept are left out in each folder, once a day")
    func old() async throws {
        let tombstones = try tombstones("first", "second")
        let duties = Duties(of: fixture.store, purging: [], [tombstones.duty], time: fixture.time)
        try await tombstones.add(ada, at: fixture.time.now())
        let newer = "of a newer version\n"
        try fixture.folder.write(text("first") + newer, to: "first/\(Tombstones.fileName)")
        fixture.time.advance(by: .milliseconds(1))
        try await tombstones.add(eve, at: fixture.time.now())
        // A day later to the millisecond: the first one is still kept.
        fixture.time.advance(by: .seconds(86_400) - .milliseconds(1))
        #expect(try await tombstones.forgetOld() == 0)
        fixture.time.advance(by: .milliseconds(1))
        let work = Task { await duties.run() }
        await fixture.time.sleepers(2)
        work.cancel()
        await work.value
        #expect(log.lines.count { $0.contains("identity.tombstones.forgotten") } == 1)
        #expect(try text("second").split(separator: "\n").count == 1)
        #expect(try text("first") == newer + text("second"))
        // Further lines go into the new files.
        try await tombstones.add(ada, at: fixture.time.now())
        #expect(try text("second").split(separator: "\n").count == 2)
        try await replay(tombstones)
        #expect(try await deleting() == [ada.text, eve.text])
    }

    @Test("a line that was left out in one folder only is not copied back")
    func halfForgotten() async throws {
        try await tombstones("first").add(ada, at: fixture.time.now())
        fixture.time.advance(by: .seconds(86_400) + .milliseconds(1))
        _ = try tombstones("first", "second")
        #expect(try text("second") == "")
        _ = try tombstones("first", "second", kept: nil)
        #expect(try text("second") == text("first"))
    }

    private func text(_ folder: String) throws -> String {
        try String(contentsOfFile: file(folder), encoding: .utf8)
    }

    @Test("a line that a crash has cut, and damaged ones, do not hide the others")
    func damaged() async throws {
        try await tombstones("own").add(ada, at: fixture.time.now())
        let whole = try String(contentsOfFile: file("own"), encoding: .utf8)
        try fixture.folder.write(
            "garbage\n\u{0}\n" + whole + whole.prefix(20), to: "own/\(Tombstones.fileName)")
        let tombstones = try tombstones("own")
        try await tombstones.add(eve, at: fixture.time.now())
        try await replay(tombstones)
        #expect(try await deleting() == [ada.text, eve.text])
        #expect(log.lines.contains { $0.contains("identity.tombstones.damaged") })
    }

    @Test("a folder that cannot be written stops the start")
    func unusable() throws {
        try fixture.folder.write("", to: "file")
        #expect(throws: SQLError.self) { _ = try tombstones("own", "file/own") }
    }

    @Test(
        "a line is read as it was written, and others are none",
        arguments: ["", " ", "00 1", "000102030405060708090a0b0c0d0e0f", "x 1"])
    func line(other: String) throws {
        let tombstone = Tombstone(
            Tombstone.Key(first: 0x0001_0203_0405_0607, second: .max),
            at: Timestamp(milliseconds: 1_735_689_600_123))
        let text = "0001020304050607ffffffffffffffff 1735689600123\n"
        #expect(tombstone.line == Array(text.utf8))
        #expect(Tombstone(line: tombstone.line.dropLast()) == tombstone)
        #expect(Tombstone(line: Array(other.utf8)[...]) == nil)
    }
}
