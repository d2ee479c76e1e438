import Cryptography
import Glibc
import SessionService
import Storage
import TestSupport
import Testing

@testable import postern

@Suite(
    "O-01: every page of a copied store is read before a service opens it",
    .enabled(if: TestStore.runs("StoreCheckTests")))
struct StoreCheckTests {
    private let stores: BackedUpStores

    init() async throws { stores = try await BackedUpStores() }

    private func check(
        _ service: StoredService, keys: String? = nil, marks: Bool = false
    ) throws -> StoreCheck {
        try StoreCheck(of: service, in: stores.folder, keys: keys, marks: marks)
    }

    @Test("a whole store is described: schema, key, what the next start ends")
    func whole() throws {
        for service in StoredService.all {
            let check = try check(service, keys: stores.keys.path)
            #expect(check.schema.service == service.schema)
            #expect(check.schema.storage == CopiedStore.storageSchema)
            #expect(check.key == .fits && check.keyID?.utf8.count == 8)
            #expect(check.ends.isEmpty && check.bytes > 4_096)
            #expect(check.row.line.hasPrefix(service.name), "\(check.row.line)")
        }
        // Neither a log nor shared memory remains, which the restored folder would inherit.
        #expect(try stores.folder.names().allSatisfy { BackupEntry($0) != nil })
    }

    @Test("a key that is missing or another one is named, and one that was not asked for is not")
    func keys() throws {
        let identity = try #require(StoredService.all.first)
        let file = stores.keys.file(identity.keyFile)
        #expect(try check(identity).key == .notTried)
        try TextFile.replace(file, with: [UInt8](repeating: 200, count: 32))
        #expect(try check(identity, keys: stores.keys.path).key == .other(file))
        try stores.keys.remove(identity.keyFile)
        let check = try check(identity, keys: stores.keys.path)
        #expect(check.key == .missing(file) && check.key.isWrong)
    }

    @Test("a damaged page is refused", arguments: StoredService.all.map(\.name))
    func damage(name: String) throws {
        let service = try #require(StoredService(argument: name))
        let path = stores.folder.file(service.file)
        var bytes = try TextFile.read(path)
        for page in stride(from: 4_096, to: bytes.count, by: 8_192) {
            for place in page..<page + 16 { bytes[place] ^= 0xff }
        }
        try TextFile.replace(path, with: bytes)
        expectRefused("is not a store or is damaged") { try check(service) }
    }

    @Test("a journal with a damaged frame is refused")
    func journal() throws {
        let service = try #require(StoredService(argument: "rate-limit"))
        try TextFile.replace(stores.folder.file("ratelimit.log.0"), with: "aaaaaaaabbbbbbbb")
        expectRefused("ratelimit.log.0 is damaged at byte 0") { try check(service) }
    }

    @Test("a store of a newer version is refused, with both numbers")
    func newer() throws {
        let session = try #require(StoredService(argument: "session"))
        let old = StoredService(
            files: session.files, migrations: session.migrations.dropLast(), ends: session.ends)
        expectRefused("has schema \(session.schema)") { try check(old) }
    }

    @Test("a trigger that another program has put into a store is refused before it runs")
    func trigger() throws {
        let session = try #require(StoredService(argument: "session"))
        try sql(
            """
            CREATE TRIGGER t AFTER DELETE ON store_file
            BEGIN UPDATE session SET ended_at_ms = NULL; END
            """, in: session)
        expectRefused("it has the trigger t") { try check(session, marks: true) }
    }

    @Test("a store without the mark of a backup is refused, unless it was copied by hand")
    func mark() async throws {
        let session = try #require(StoredService(argument: "session"))
        try sql("PRAGMA application_id = 0", in: session)
        expectRefused("is not marked as a copy") { try check(session) }
        _ = try check(session, marks: true)
        #expect(try CopiedStore(stores.folder.file(session.file)).isMarked())
        let store = try TestStore.open("session", SessionTables.migrations, in: stores.folder.path)
        defer { store.close() }
        #expect(store.isRestoredCopy, "its service has to settle it")
    }

    @Test("a database that is no store is refused")
    func other() throws {
        let session = try #require(StoredService(argument: "session"))
        try stores.folder.remove(session.file)
        try sql("CREATE TABLE a (b)", in: session)
        expectRefused("it has no table schema_migrations") { try check(session) }
        try stores.folder.remove(session.file)
        expectRefused("No such file") { try check(session) }
    }

    private func sql(_ statement: String, in service: StoredService) throws {
        let connection = try SQLiteEngine().openWriter(stores.folder.file(service.file))
        try connection.execute(statement)
    }
}
