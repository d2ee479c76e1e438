import ArgumentParser
import Glibc
import Storage
import TestSupport
import Testing

@testable import postern

@Suite(
    "O-01: `postern restore` and `postern backup verify`",
    .enabled(if: TestStore.runs("Restore*")))
struct RestoreCommandTests {
    private let stores: BackedUpStores
    private let key: BackupKey
    private let data: Folder

    private var temporary: TemporaryFolder { stores.temporary }
    private var file: String { temporary.file("a.age") }
    private var identity: String { key.identity }

    init() async throws {
        stores = try await BackedUpStores()
        key = try BackupKey(in: stores.temporary)
        data = Folder(path: stores.temporary.file("new/data"))
        try replaceFile(with: stores.archive())
    }

    /// Makes `file` the backup of these parts.
    private func replaceFile(with parts: BackupParts) throws {
        try TextFile.replace(file, with: key.encrypted(parts.tar()))
    }

    private func restore(_ options: String..., from source: String? = nil) throws {
        let arguments = ["--from", source ?? file, "--data", data.path]
        try RestoreCommand.parse(arguments + options).restore()
    }

    private func verify(_ options: String...) throws -> Bool {
        try VerifyCommand.parse([file, "--identity", identity] + options).verify()
    }

    @Test("a restore fills a new folder with marked stores, which verify found whole")
    func whole() throws {
        #expect(try verify("--keys", stores.keys.path))
        try restore("--identity", identity, "--keys", stores.keys.path)
        let names = try data.names()
        #expect(names == (try stores.folder.names()))
        for service in StoredService.all {
            #expect(try CopiedStore(data.file(service.file)).isMarked())
        }
        expectRefused("identity.sqlite exists") { try restore("--identity", identity) }
        #expect(try data.names() == names)
    }

    @Test("verify decrypts beside the file, or where it is asked to, and leaves nothing behind")
    func traces() throws {
        let other = Folder(path: temporary.file("other"))
        try other.make()
        let before = try Folder(path: temporary.path).names()
        #expect(try verify())
        #expect(try verify("--temporary", other.path))
        #expect(try Folder(path: temporary.path).names() == before)
        #expect(try other.names().isEmpty)
        expectRefused("with --temporary") { try verify("--temporary", "/no/such/folder") }
    }

    @Test("another master key: verify exits with 1, and restore places nothing")
    func otherKey() throws {
        let session = stores.keys.file("session.key")
        try TextFile.replace(session, with: [UInt8](repeating: 200, count: 32))
        #expect(try !verify("--keys", stores.keys.path))
        expectRefused("\(session) is another key") {
            try restore("--identity", identity, "--keys", stores.keys.path)
        }
        #expect(try data.names().isEmpty)
        try restore("--identity", identity)
        #expect(data.has("session.sqlite"))
    }

    @Test(
        "a damaged store in an intact backup: verify goes on to the others, restore places nothing")
    func damagedStore() throws {
        var backup = try stores.archive()
        let place = try #require(
            backup.files.firstIndex { $0.entry == .database(store: "session") })
        for byte in 4_096..<4_112 { backup.files[place].bytes[byte] ^= 0xff }
        try replaceFile(with: backup)
        #expect(try !verify())
        expectRefused("session.sqlite is not a store or is damaged") {
            try restore("--identity", identity)
        }
        #expect(try data.names().isEmpty)
    }

    @Test("--only restores one store beside the others")
    func onlyOne() throws {
        try restore("--identity", identity, "--only", "rate-limit")
        #expect(try data.names() == ["ratelimit.log.0", "ratelimit.sqlite"])
        try restore("--identity", identity, "--only", "session")
        #expect(data.has("session.sqlite"))
        let arguments = ["--from", file, "--data", data.path]
        let advice = try RestoreCommand.parse(arguments + ["--only", "session"]).onlyAdvice
        #expect(advice?.contains("those of identity, rate-limit, notification") == true)
        #expect(advice?.contains("postern accounts orphans") == true)
        let limits = try RestoreCommand.parse(arguments + ["--only", "rate-limit"]).onlyAdvice
        #expect(limits?.contains("orphans") == false)
        #expect(try RestoreCommand.parse(arguments).onlyAdvice == nil)
        expectRefused("exists") { try restore("--identity", identity, "--only", "session") }
    }

    @Test("G-20: a restore of identity says that tombstones are missing, if they are")
    func tombstones() throws {
        let arguments = ["--from", file, "--data", data.path]
        let advice = try RestoreCommand.parse(arguments).tombstonesAdvice
        #expect(advice?.contains("deleted since the backup come back") == true)
        let session = try RestoreCommand.parse(arguments + ["--only", "session"])
        #expect(session.tombstonesAdvice == nil)
        try data.folder("tombstones").make()
        #expect(try RestoreCommand.parse(arguments).tombstonesAdvice == nil)
        // They are no obstacle.
        try restore("--identity", identity)
        #expect(data.has("tombstones") && data.has("identity.sqlite"))
    }

    @Test("keys in the backup go into the folder of keys, and into no other place")
    func withKeys() throws {
        try replaceFile(with: stores.archive(withKeys: true))
        let keys = Folder(path: temporary.file("new/keys"))
        #expect(try verify())
        try restore("--identity", identity, "--keys", keys.path)
        #expect(try keys.names() == (try stores.keys.names()))
        #expect(try data.names().allSatisfy { BackupEntry($0)?.service != nil })
    }

    @Test("blobs are restored with their store and no other, also from files copied by hand")
    func blobs() throws {
        let name = String(repeating: "a1", count: 16)
        var backup = try stores.archive()
        let entry = try #require(BackupEntry("blobs/\(name)"))
        backup.files.append((entry, [1, 2, 3]))
        try replaceFile(with: backup)
        #expect(try verify())
        try restore("--identity", identity, "--only", "session")
        #expect(try data.names() == ["session.sqlite"])
        try restore("--identity", identity, "--only", "identity")
        #expect(try TextFile.read(data.file("blobs/\(name)")) == [1, 2, 3])
        try data.remove("identity.sqlite")
        expectRefused("blobs exists") {
            try restore("--identity", identity, "--only", "identity")
        }

        try data.removeAll()
        try data.folder("blobs").make()
        let copied = stores.folder.folder("blobs")
        try copied.make()
        for file in [name, "\(name).partial", "x"] {
            try TextFile.replace(copied.file(file), with: [4])
        }
        try restore(from: stores.folder.path)
        #expect(try data.folder("blobs").names() == [name])
    }

    @Test("files copied by hand are checked and marked")
    func byHand() throws {
        let identityStore = stores.folder.file("identity.sqlite")
        let connection = try SQLiteEngine().openWriter(identityStore)
        try connection.execute("PRAGMA application_id = 0")
        try restore(from: stores.folder.path)
        #expect(try CopiedStore(data.file("identity.sqlite")).isMarked())
        try data.removeAll()
        try stores.folder.remove("session.sqlite")
        expectRefused("has no session.sqlite") { try restore(from: stores.folder.path) }
        try restore("--only", "identity", from: stores.folder.path)
        #expect(try data.names() == ["identity.sqlite"])
    }

    @Test("a folder whose programs run is no copy: it is refused")
    func running() throws {
        let lock = open(stores.folder.file("session.lock"), O_RDWR | O_CREAT, 0o600)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        expectRefused("is in use by process") { try restore(from: stores.folder.path) }
        #expect(try data.names().isEmpty)
    }

    @Test("of a backup that is cut at any of 64 places nothing is in place, and the error names it")
    func cut() throws {
        let whole = try TextFile.read(file)
        for place in 0..<64 {
            try TextFile.replace(file, with: Array(whole.prefix(whole.count * place / 64)))
            expectRefused("\(file): age: error: ") { try restore("--identity", identity) }
            #expect(try data.names().isEmpty, "cut at \(place) of 64")
        }
        // After the first chunk of age, which is authentic with its tag of 16 bytes, and before the
        // last byte.
        let content = try stores.archive().tar().count
        let start = whole.count - content - (content + 65_535) / 65_536 * 16
        for length in [start + 65_552, whole.count - 1] {
            try TextFile.replace(file, with: Array(whole.prefix(length)))
            expectRefused("\(file): age: error: ") { try restore("--identity", identity) }
            #expect(try data.names().isEmpty, "cut at \(length)")
        }
    }

    @Test("a key that others may read opens nothing")
    func exposedKey() throws {
        #expect(chmod(identity, 0o644) == 0)
        expectRefused("\(identity) can be read or written by others") {
            try restore("--identity", identity)
        }
        #expect(chmod(identity, 0o600) == 0)
    }

    @Test("what is missing to open it, and the folder of a `postern up`, are named")
    func advice() throws {
        expectRefused("--identity FILE opens a backup to a key") { try restore() }
        expectRefused("No such file") { try restore(from: "/no/such/file") }
        try data.make()
        try TextFile.replace(data.file("up.lock"), with: "")
        expectRefused("\(data.path)/data") { try restore("--identity", identity) }
    }
}
