import Contracts
import Cryptography
import FoundationEssentials
import Messages
import NIOPosix
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import Hosting

@Suite(
    "Copies of a running store", .enabled(if: TestStore.runs("*Backup*")), .timeLimit(.minutes(2)))
struct StoreBackupTests {
    private static let migrations = [
        Migration(
            number: 1,
            sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT")
    ]

    /// A server with a store of two entries, and clients of several applications.
    private struct Fixture {
        let folder: TemporaryFolder
        let store: Store
        let blobs: BlobFolder
        let server: RPCServer
        let clients: [String: RPCClient]

        init() async throws {
            let keys = try TemporaryFolder()
            folder = try TemporaryFolder()
            store = try TestStore.open("notes", migrations, in: folder.path)
            blobs = try BlobFolder(in: folder.path, time: SystemTime())
            let key = SecretBytes(copying: [UInt8](repeating: 1, count: 32))
            let callers = ["tool", "gateway"]
            for caller in callers { try SecretFile.create(keys.file("\(caller).k1.key"), key) }
            server = try await RPCServer.start(
                ServerSettings(service: "postern.notes", host: "127.0.0.1", port: 0),
                services: [
                    BackupDispatcher.methods(
                        of: StoreBackup(store, journals: ["notes", "other"], blobs: blobs))
                ],
                applications: Applications(
                    folder: keys.path, callers: CallersList(callers, assertingClientAddress: []),
                    needsKeys: false, sharedKeys: SharedKeyRule(ours: [], acceptsOthers: true)),
                group: .singleton, time: SystemTime(), randomness: SecureRandomness(),
                logger: CapturedLog().logger())
            let port = server.port
            clients = try callers.reduce(into: [:]) { clients, caller in
                let key = try ApplicationKey(file: keys.file("\(caller).k1.key"))
                clients[caller] = RPCClient(
                    ClientSettings(
                        service: "postern.notes", host: "127.0.0.1", port: port,
                        application: caller, keyID: key.keyID, secret: key.key),
                    group: .singleton, time: SystemTime(), randomness: SecureRandomness())
            }
        }

        /// The calls of an application, and their context.
        func backup(_ caller: String = "tool") throws -> (client: BackupClient, CallContext) {
            let client = try #require(clients[caller])
            return (BackupClient(client), client.context(timeout: .seconds(60)))
        }

        /// Begins a copy and waits until the store is held.
        func begin(holdMs: UInt32 = 1, _ caller: String = "tool") async throws -> (
            held: BackupV1.StoreHeld, items: IncomingItems<BackupV1.CopyStoreItem>
        ) {
            let (client, context) = try backup(caller)
            let items = client.copyStore(.init(holdMs: holdMs), context)
            guard case .held(let held) = try await items.makeAsyncIterator().next()?.part else {
                throw ServiceError(.internalError)
            }
            return (held, items)
        }

        /// Adds an entry of this many bytes.
        func add(_ id: Int64, bytes: Int = 10) async throws {
            let content = [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: bytes)
            try await store.write(about: []) {
                try $0.put(
                    "INSERT INTO entry (id, content) VALUES (?, ?)",
                    [.integer(id), .blob(content)])
            }
        }

        func close() async {
            for client in clients.values { client.close() }
            await server.drain()
            store.close()
        }
    }

    /// The files that a stream brings, in its order.
    private func files(
        _ items: IncomingItems<BackupV1.CopyStoreItem>
    ) async throws -> [(name: String, content: [UInt8])] {
        var files: [(name: String, bytes: Int64, content: [UInt8])] = []
        for try await item in items {
            switch item.part {
            case .file(let file): files.append((file.name, file.bytes, []))
            case .data(let bytes):
                #expect((1...StoreBackup.itemBytes).contains(bytes.count))
                files[files.count - 1].content += bytes
            case .held, nil: Issue.record("\(item)")
            }
        }
        #expect(files.allSatisfy { Int64($0.content.count) == $0.bytes })
        return files.map { ($0.name, $0.content) }
    }

    @Test(
        "the copy is the store and its journals when it was held, and later entries are not in it")
    func whole() async throws {
        let fixture = try await Fixture()
        let folder = fixture.folder
        try await fixture.add(1, bytes: 300_000)
        for name in ["notes.log.2", "notes.snapshot.3", "notes.log.3", "notes.snapshot.draft"] {
            try folder.write(name, to: name)
        }
        let (held, items) = try await fixture.begin()
        try await fixture.add(2)
        #expect(held.store == "notes" && held.keyId == "" && held.serviceSchema == 1)
        #expect(held.storageSchema > 10)

        let files = try await files(items)
        #expect(files.map(\.name) == ["notes.sqlite", "notes.snapshot.3", "notes.log.3"])
        #expect(files.dropFirst().allSatisfy { $0.content == Array($0.name.utf8) })
        let restored = try TemporaryFolder()
        try write(#require(files.first).content, to: restored.file("notes.sqlite"))
        let copy = try TestStore.open("notes", Self.migrations, in: restored.path)
        #expect(copy.isRestoredCopy)
        let ids = try await copy.read { session in
            try session.query("SELECT id FROM entry") { try $0.integer(0) }
        }
        #expect(ids == [1])
        copy.close()
        await fixture.close()
    }

    @Test("blobs are kept and sent, also those that are removed while the copy is made")
    func blobs() async throws {
        let fixture = try await Fixture()
        let names = (0..<3).map { _ in BlobName(drawnFrom: SecureRandomness()) }.sorted()
        for name in names { try await fixture.blobs.write(name, [Array(name.text.utf8)]) }
        let items = try await fixture.begin().items
        try await fixture.blobs.remove(names)
        let sent = try await files(items).filter { $0.name.hasPrefix("blobs/") }
            .sorted { $0.name < $1.name }
        #expect(sent.map(\.name) == names.map { "blobs/\($0.text)" })
        #expect(sent.map(\.content) == names.map { Array($0.text.utf8) })
        // The end of the stream is sent before the server's call returns.
        let areRemoved = try await eventually { try await fixture.blobs.names().isEmpty }
        #expect(areRemoved, "what was removed meanwhile goes with the copy's end")
        await fixture.close()
    }

    @Test("the id of the store's master key is that by which the tool knows the key")
    func keyID() async throws {
        let fixture = try await Fixture()
        let check = ServiceHost.storeCheck(
            of: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
        try await fixture.store.requireKey(check: check, file: "notes.key") { _, _ in [] }
        let held = try await fixture.begin().held
        #expect(held.keyId == Hex.encode(check).prefix(8))
        await fixture.close()
    }

    @Test("commits wait until the hold is over")
    func hold() async throws {
        let fixture = try await Fixture()
        let time = SystemTime()
        let began = time.uptime()
        let items = try await fixture.begin(holdMs: 100).items
        try await fixture.add(1)
        #expect(time.uptime() - began >= .milliseconds(100))
        _ = try await files(items)
        await fixture.close()
    }

    @Test(
        "a hold of nothing, or above the limit, is refused", arguments: [0, 101, .max] as [UInt32])
    func wrongHold(holdMs: UInt32) async throws {
        let fixture = try await Fixture()
        let error = await #expect(throws: ServiceError.self) {
            _ = try await fixture.begin(holdMs: holdMs)
        }
        #expect(error?.code == .invalidArgument && error?.fields == ["hold_ms"])
        await fixture.close()
    }

    @Test("a second copy at the same time is refused; one that is abandoned leaves nothing")
    func second() async throws {
        let fixture = try await Fixture()
        // More than the stream's credit and the buffers between, so that the copy waits for us.
        for id in 1...24 { try await fixture.add(Int64(id), bytes: 1 << 20) }
        var items: IncomingItems<BackupV1.CopyStoreItem>? = try await fixture.begin().items
        for _ in 0..<3 { _ = try await items?.makeAsyncIterator().next() }
        let refused = await #expect(throws: ServiceError.self) { _ = try await fixture.begin() }
        #expect(refused?.code == .resourceExhausted)
        #expect(copies(in: fixture.folder) == 1)
        #expect(try fixture.folder.names().filter { $0.contains("copy") } == [])

        items = nil
        let (_, again) = try await begun(fixture)
        #expect(try await files(again).first.map { $0.content.count > 24 << 20 } == true)
        await fixture.close()
        #expect(copies(in: fixture.folder) == 0)
    }

    @Test("a copy that the caller abandons while it is made is removed")
    func abandoned() async throws {
        let fixture = try await Fixture()
        for id in 1...24 { try await fixture.add(Int64(id), bytes: 1 << 20) }
        for _ in 0..<5 { _ = try await begun(fixture).held }
        _ = try await files(begun(fixture).items)
        await fixture.close()
        #expect(copies(in: fixture.folder) == 0)
        #expect(try fixture.folder.names().filter { $0.contains("copy") } == [])
    }

    @Test("only the operator's tool may copy a store, or record a backup")
    func callers() async throws {
        let fixture = try await Fixture()
        let copying = await #expect(throws: ServiceError.self) {
            _ = try await fixture.begin(holdMs: 1, "gateway")
        }
        let (client, context) = try fixture.backup("gateway")
        let recording = await #expect(throws: ServiceError.self) {
            _ = try await client.recordBackup(.init(bytes: 1), context)
        }
        #expect([copying, recording].map { $0?.code } == [.permissionDenied, .permissionDenied])
        await fixture.close()
    }

    @Test("a recorded backup is in the audit trail")
    func recorded() async throws {
        let fixture = try await Fixture()
        let (client, context) = try fixture.backup()
        _ = try await client.recordBackup(.init(bytes: 12), context)
        let kinds = try await fixture.store.read { session in
            try session.query("SELECT kind FROM audit") { try $0.text(0) }
        }
        #expect(kinds == [AuditKind.backedUp.rawValue])
        await fixture.close()
    }

    /// Begins a copy as soon as the one before has ended.
    private func begun(_ fixture: Fixture) async throws -> (
        held: BackupV1.StoreHeld, items: IncomingItems<BackupV1.CopyStoreItem>
    ) {
        while true {
            do {
                return try await fixture.begin()
            } catch let error as ServiceError where error.code == .resourceExhausted {
                await Task.yield()
            }
        }
    }

    /// How many copies of the folder's store this process has open, which have no name any more.
    private func copies(in folder: TemporaryFolder) -> Int {
        OpenDescriptors.paths().count { $0.hasPrefix(folder.file("notes.backup-copy")) }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }
}
