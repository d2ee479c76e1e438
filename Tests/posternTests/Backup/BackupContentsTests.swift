import Contracts
import Cryptography
import Hosting
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import postern

@Suite("The stores in a backup")
struct BackupContentsTests {
    private let time = ManualTime()

    private func sources(_ services: [StoreOfFiles]) -> [StoreSource] {
        let time = time
        return services.map { service in
            StoreSource(service: service.service, backup: service) {
                CallContext(application: "tool", deadline: time.uptime() + $0)
            }
        }
    }

    /// Runs `begin` while the time of its pauses passes.
    private func begin(_ services: [StoreOfFiles], pauses: Int) async throws -> StoreHold {
        async let hold = StoreHold.begin(sources(services), time: time)
        for _ in 0..<pauses {
            await time.sleepers()
            time.advance(by: HoldBarrier.pause)
        }
        return try await hold
    }

    private func contents(
        _ hold: StoreHold, keys: String? = nil
    ) async throws -> (manifest: BackupManifest, archive: [UInt8]) {
        let bytes = Mutex<[UInt8]>([])
        let manifest = try await BackupContents(hold: hold, keysFolder: keys, version: "1")
            .write(to: { part in bytes.withLock { $0 += part } }, progress: { _, _, _ in })
        return (manifest, bytes.withLock { $0 })
    }

    /// The files of an archive by name.
    private func files(_ archive: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
        var rest: [UInt8]? = archive
        var reader = TarReader {
            defer { rest = nil }
            return rest
        }
        var files: [(name: String, bytes: [UInt8])] = []
        while let header = try reader.next() {
            files.append((header.entry.name, try reader.read() ?? []))
        }
        return files
    }

    @Test("all stores that are held in time are one state, in the order of their services")
    func together() async throws {
        let services = [StoreOfFiles("identity"), StoreOfFiles("rate-limit")]
        let hold = try await begin(services, pauses: 0)
        #expect(hold.tries == 1 && hold.hold == .milliseconds(25))
        #expect(hold.stores.map(\.source.service.name) == ["identity", "rate-limit"])
    }

    @Test("services that answer too slowly are asked again with a longer hold")
    func slow() async throws {
        let time = time
        let slow = StoreOfFiles("session") { number in
            time.advance(by: .milliseconds([30, 49, 99][number - 1]))
        }
        let hold = try await begin([StoreOfFiles("identity"), slow], pauses: 1)
        #expect(hold.tries == 2 && slow.holds == [25, 50])
    }

    @Test("after 20 tries it says what to do")
    func tooSlow() async throws {
        let time = time
        let slow = StoreOfFiles("session") { _ in time.advance(by: .milliseconds(100)) }
        let error = await #expect(throws: ToolError.self) {
            _ = try await begin([slow], pauses: HoldBarrier.triesMax)
        }
        #expect(error?.description.contains("postern top") == true)
        #expect(slow.holds.count == 20)
    }

    @Test("a service that copies for somebody else is an error, but not while it ends our last try")
    func busy() async throws {
        let busy = StoreOfFiles("session") { _ in throw ServiceError(.resourceExhausted) }
        let failure = await #expect(throws: ServiceFailure.self) {
            _ = try await begin([StoreOfFiles("identity"), busy], pauses: 0)
        }
        #expect(failure?.service == "session" && failure?.error.code == .resourceExhausted)

        let time = time
        let ending = StoreOfFiles("session") { number in
            if number == 1 { time.advance(by: .seconds(1)) }
            if number == 2 { throw ServiceError(.resourceExhausted) }
        }
        #expect(try await begin([ending], pauses: 2).tries == 3)
    }

    @Test("a service that is overloaded is asked again from the first try on, and named in the end")
    func overloaded() async throws {
        let overload = ServiceError(
            .resourceExhausted, retryAfter: .milliseconds(250), notProcessed: true)
        let passing = StoreOfFiles("session") { number in
            if number == 1 { throw overload }
        }
        #expect(try await begin([StoreOfFiles("identity"), passing], pauses: 1).tries == 2)

        let lasting = StoreOfFiles("session") { _ in throw overload }
        let failure = await #expect(throws: ServiceFailure.self) {
            _ = try await begin([lasting], pauses: HoldBarrier.triesMax)
        }
        #expect(failure?.service == "session" && failure?.isOtherCopy == false)
        #expect(lasting.holds.count == HoldBarrier.triesMax)
    }

    @Test("the archive has each file with its hash, and the manifest last")
    func archive() async throws {
        let database = [UInt8](repeating: 7, count: 100_000)
        let services = [
            StoreOfFiles("identity", files: [("identity.sqlite", database)]),
            StoreOfFiles(
                "rate-limit",
                files: [
                    ("ratelimit.sqlite", [1]), ("ratelimit.log.3", [2, 3]),
                    ("ratelimit-devices.log.1", []),
                ]),
        ]
        let (manifest, archive) = try await contents(begin(services, pauses: 0))
        let files = try files(archive)
        #expect(
            files.map(\.name) == [
                "identity.sqlite", "ratelimit.sqlite", "ratelimit.log.3",
                "ratelimit-devices.log.1", "manifest.json",
            ])
        #expect(try BackupManifest(#require(files.last).bytes) == manifest)
        #expect(manifest.files.map(\.hash) == files.dropLast().map { SHA256.hash($0.bytes) })
        #expect(manifest.stores.map(\.keyID) == ["0a0b0c0d", "0a0b0c0d"])
        #expect(manifest.createdAt == time.now().text && !manifest.hasKeys)
    }

    @Test(
        "a service that sends another store's file, or other lengths, is refused",
        arguments: [
            [("session.sqlite", [1])], [("../identity.sqlite", [1])], [],
            [("identity.sqlite", [1]), ("identity.sqlite", [1])], [("keys/identity.key", [1])],
        ] as [[(String, [UInt8])]])
    func strangeFiles(files: [(String, [UInt8])]) async throws {
        let hold = try await begin([StoreOfFiles("identity", files: files)], pauses: 0)
        await #expect(throws: ToolError.self) { try await contents(hold) }
    }

    @Test("a store under another name, and a stream that is cut, are refused")
    func strangeStreams() async throws {
        await #expect(throws: ToolError.self) {
            _ = try await begin([StoreOfFiles("session", store: "identity")], pauses: 0)
        }
        let short = StoreOfFiles("identity", files: [("identity.sqlite", [1])], missing: 1)
        let long = StoreOfFiles("identity", files: [("identity.sqlite", [1])], missing: -1)
        for service in [short, long] {
            let hold = try await begin([service], pauses: 0)
            await #expect(throws: ToolError.self) { try await contents(hold) }
        }
    }

    @Test("master keys are included if they are those of the services, and refused otherwise")
    func keys() async throws {
        let folder = try TemporaryFolder()
        let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let id = ServiceHost.keyID(ofCheck: ServiceHost.storeCheck(of: key))
        try SecretFile.create(folder.file("identity.key"), key)
        try SecretFile.create(folder.file("sign-in-proof.key"), key)
        let service = StoreOfFiles("identity", keyID: id)
        let (manifest, archive) = try await contents(
            begin([service], pauses: 0), keys: folder.path)
        #expect(
            try files(archive).map(\.name) == [
                "identity.sqlite", "keys/identity.key", "keys/sign-in-proof.key", "manifest.json",
            ])
        #expect(manifest.hasKeys)

        let other = try await begin([StoreOfFiles("identity")], pauses: 0)
        let error = await #expect(throws: ToolError.self) {
            try await contents(other, keys: folder.path)
        }
        #expect(error?.description.contains("0a0b0c0d") == true)
    }
}

/// A service that has a store of these files, in this process.
private final class StoreOfFiles: BackupService {
    let service: BackupEntry.Service
    private let description: BackupV1.StoreHeld
    private let files: [(name: String, bytes: [UInt8])]
    /// How many bytes each file is announced to have more than it has.
    private let missing: Int
    private let answer: @Sendable (_ number: Int) throws -> Void
    private let asked = Mutex<[UInt32]>([])

    /// - Parameters:
    ///   - files: by default one database.
    ///   - answer: runs before each answer, with its number from 1 on.
    init(
        _ name: String, store: String? = nil, keyID: String = "0a0b0c0d",
        files: [(String, [UInt8])]? = nil, missing: Int = 0,
        answer: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) {
        let service = BackupEntry.services.first { $0.name == name }
        self.service = service ?? BackupEntry.Service(name: name, store: name)
        description = BackupV1.StoreHeld(
            store: store ?? self.service.store, keyId: keyID, storageSchema: 11, serviceSchema: 2)
        self.files = files?.map { ($0.0, $0.1) } ?? [("\(self.service.store).sqlite", [1, 2, 3])]
        self.missing = missing
        self.answer = answer
    }

    /// The holds that it was asked for, in milliseconds.
    var holds: [UInt32] { asked.withLock { $0 } }

    func copyStore(
        _ request: BackupV1.CopyStoreRequest, _ items: OutgoingItems<BackupV1.CopyStoreItem>,
        _ context: CallContext
    ) async throws {
        let number = asked.withLock { asked in
            asked.append(request.holdMs)
            return asked.count
        }
        try answer(number)
        try await items.write(.init(part: .held(description)))
        for file in files {
            let byteCount = Int64(file.bytes.count + missing)
            try await items.write(.init(part: .file(.init(name: file.name, bytes: byteCount))))
            for start in stride(from: 0, to: file.bytes.count, by: 65_536) {
                let part = Array(file.bytes[start...].prefix(65_536))
                try await items.write(.init(part: .data(part)))
            }
        }
    }

    func recordBackup(
        _ request: BackupV1.RecordBackupRequest, _ context: CallContext
    ) -> BackupV1.RecordBackupResponse { BackupV1.RecordBackupResponse() }
}
