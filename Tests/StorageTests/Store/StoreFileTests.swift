import FoundationEssentials
import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite(
    "O-01: a store that was copied by hand is recognised",
    .enabled(if: TestStore.runs("StoreFileTests")))
struct StoreFileTests {
    /// Whether the file system of temporary files reports when they were created.
    static let hasBirthTimes = StoreFile.born(FileManager.default.temporaryDirectory.path) != nil

    let folder: TemporaryFolder
    let time = ManualTime()

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "the verdict on a store's file",
        arguments: [
            // Its row: none, or (birth time, is open, run 3). The file's birth time. The newest run.
            // Marked. Verdict.
            (nil, 5, 0, false, .original), (nil, nil, 0, false, .unknown),
            (nil, 5, 9, false, .original), (nil, 5, 0, true, .restoredCopy),
            (row(5, false), 5, 3, false, .original), (row(5, true), 5, 3, false, .original),
            (row(5, false), 5, 2, false, .original), (row(5, true), 5, 0, false, .original),
            (row(5, false), 5, 4, false, .restoredCopy),
            (row(5, true), 5, 4, false, .copiedWhileOpen),
            (row(5, false), 6, 3, false, .restoredCopy),
            (row(5, true), 6, 3, false, .copiedWhileOpen),
            (row(5, false), 4, 0, false, .restoredCopy),
            (row(5, true), 4, 0, false, .copiedWhileOpen),
            (row(5, false), nil, 3, false, .unknown), (row(5, true), nil, 3, false, .unknown),
            (row(5, false), nil, 4, false, .restoredCopy),
            (row(nil, false), 5, 3, false, .original), (row(nil, true), 5, 3, false, .original),
            (row(5, true), 5, 3, true, .restoredCopy), (row(5, true), 6, 3, true, .restoredCopy),
            (row(5, false), nil, 3, true, .restoredCopy), (row(5, true), 5, 9, true, .restoredCopy),
        ] as [(StoreFile.Row?, Int64?, Int64, Bool, StoreFileVerdict)])
    func verdict(
        row: StoreFile.Row?, bornNs: Int64?, newest: Int64, isMarked: Bool,
        verdict: StoreFileVerdict
    ) {
        let found = StoreFileVerdict(
            row: row, bornNs: bornNs, newestRun: newest, isMarked: isMarked)
        #expect(found == verdict)
    }

    private static func row(_ bornNs: Int64?, _ isOpen: Bool) -> StoreFile.Row {
        StoreFile.Row(bornNs: bornNs, isOpen: isOpen, run: 3, backedUpAt: nil)
    }

    private func open(_ folder: TemporaryFolder) throws -> Store {
        try Entries.open(folder, time: time)
    }

    /// Copies the store's files by hand into a new folder.
    private func copy(_ endings: [String] = ["", "-wal"]) throws -> TemporaryFolder {
        let other = try TemporaryFolder()
        for name in endings.map({ "entries.sqlite" + $0 }) where folder.names.contains(name) {
            // Again if both were created in one tick of the file system's clock.
            repeat {
                if other.names.contains(name) {
                    try FileManager.default.removeItem(atPath: other.file(name))
                }
                try FileManager.default.copyItem(
                    atPath: folder.file(name), toPath: other.file(name))
            } while StoreFile.born(other.file(name)) == StoreFile.born(folder.file(name))
        }
        return other
    }

    @Test(
        "a copy of a closed store is a restored copy until it is settled",
        .enabled(if: hasBirthTimes))
    func closed() async throws {
        let store = try open(folder)
        try await store.write(about: []) { try $0.insertEntry(1) }
        store.close()
        let other = try copy()
        for _ in 0..<2 {
            let copy = try open(other)
            #expect(copy.isRestoredCopy)
            copy.close()
        }
        let copy = try open(other)
        try await copy.settleRestoredCopy(about: []) { _ in 0 }
        #expect(try await copy.read { try $0.entries() } == [1])
        copy.close()
        for place in [folder, other] {
            let again = try open(place)
            #expect(!again.isRestoredCopy)
            again.close()
        }
    }

    @Test(
        "a copy of an open store is refused, with or without its log, and the error says what to do",
        .enabled(if: hasBirthTimes), arguments: [["", "-wal"], [""]])
    func opened(_ endings: [String]) async throws {
        let store = try open(folder)
        try await store.write(about: []) { try $0.insertEntry(1) }
        let other = try copy(endings)
        store.close()
        let error = #expect(throws: StoreError.copiedWhileOpen(other.file("entries.sqlite"))) {
            try open(other)
        }
        let text = "\(error.map { "\($0)" } ?? "")"
        #expect(text.contains("`postern restore --from \(other.path) --data NEWFOLDER`"))
    }

    @Test("an older copy that is written over the store's file is recognised")
    func overwritten() throws {
        let file = URL(filePath: folder.file("entries.sqlite"))
        try open(folder).close()
        let closed = try Data(contentsOf: file)
        let store = try open(folder)
        let opened = try Data(contentsOf: file)
        store.close()
        // In place: the file keeps the time of its creation.
        try opened.write(to: file)
        #expect(throws: StoreError.copiedWhileOpen(file.path)) { try open(folder) }
        try closed.write(to: file)
        let copy = try open(folder)
        #expect(copy.isRestoredCopy)
        copy.close()
    }

    @Test("after a crash between the commit of a run's number and its file, it is the original")
    func crash() throws {
        for _ in 0..<2 {
            try open(folder).close()
            let runs = folder.names.filter { $0.hasPrefix("entries.run.") }
            #expect(runs.count == 1)
            try FileManager.default.moveItem(
                atPath: folder.file(runs[0]), toPath: folder.file("entries.run.1"))
        }
        let store = try open(folder)
        #expect(!store.isRestoredCopy)
        store.close()
    }

    @Test("a store that is moved within its file system is the original")
    func moved() throws {
        try open(folder).close()
        let other = try TemporaryFolder()
        try FileManager.default.moveItem(
            atPath: folder.file("entries.sqlite"), toPath: other.file("entries.sqlite"))
        let store = try open(other)
        #expect(!store.isRestoredCopy)
        store.close()
    }

    @Test("a copy that is not marked durably does not start", .enabled(if: hasBirthTimes))
    func fullDisk() throws {
        try open(folder).close()
        let other = try copy()
        let plan = FaultPlan()
        plan.fail(.commit, 1, .diskFull)
        #expect(throws: StoreError.self) {
            try Entries.open(other, engine: FaultingEngine(plan), time: time)
        }
        let copy = try open(other)
        #expect(copy.isRestoredCopy)
        copy.close()
    }

    @Test("a full disk does not stop the start of the original")
    func fullDiskOfOriginal() throws {
        try open(folder).close()
        let (plan, log) = (FaultPlan(), CapturedLog())
        plan.fail(.commit, 1, .diskFull)
        let store = try Entries.open(folder, engine: FaultingEngine(plan), time: time, log: log)
        #expect(log.lines.contains { $0.contains("store.file.unrecorded") })
        store.close()
    }

    @Test(
        "O-01: a store's file that others may read or write is warned of once at the start",
        arguments: [(0o600, 0), (0o640, 1), (0o604, 1), (0o602, 1)] as [(mode_t, Int)])
    func exposed(mode: mode_t, warnings: Int) throws {
        try open(folder).close()
        #expect(chmod(folder.file("entries.sqlite"), mode) == 0)
        let log = CapturedLog()
        try Entries.open(folder, time: time, log: log).close()
        let lines = log.lines.filter { $0.contains("store.file.exposed") }
        #expect(lines.count == warnings)
        #expect(lines.allSatisfy { $0.contains("chmod 600") && $0.contains("entries.sqlite") })
    }

    @Test("a backup of a store whose row could not be written does not make a copy of it")
    func recordedWithoutRow() async throws {
        try open(folder).close()
        try SQLiteEngine().openWriter(folder.file("entries.sqlite"))
            .execute("DELETE FROM store_file")
        let plan = FaultPlan()
        plan.fail(.commit, 1, .diskFull)
        let store = try Entries.open(folder, engine: FaultingEngine(plan), time: time)
        try await store.recordBackup(bytes: 1)
        store.close()
        let again = try open(folder)
        #expect(!again.isRestoredCopy)
        again.close()
    }

    @Test("a closed store leaves file, lock and run")
    func closed() throws {
        try open(folder).close()
        #expect(folder.names == ["entries.lock", "entries.run.2", "entries.sqlite"])
    }

    @Test("after deletion and truncation of the log no file contains the deleted row")
    func deletedRowsAreGone() async throws {
        let store = try open(folder)
        let canary = Array("canary-7f3a".utf8)
        try await store.write(about: []) {
            try $0.insertEntry(1, name: "canary-7f3a", body: canary)
        }
        try await store.truncateLog()
        #expect(folder.anyFileContains(canary))
        _ = try await store.write(about: [.table("entry")]) { try $0.execute("DELETE FROM entry") }
        try await store.truncateLog()
        #expect(!folder.anyFileContains(canary))
        store.close()
    }

    @Test("opening it ends the leases of the former process: its messages are delivered at once")
    func leases() async throws {
        let former = try open(folder)
        try await former.write(about: []) {
            try $0.enqueue(OutboxMessage(topic: "mail", key: "left", payload: []))
        }
        former.close()
        let store = try open(folder)
        #expect(store.instance != former.instance)
        let (deliveries, delivery) = AsyncStream.makeStream(of: String.self)
        let relay = OutboxRelay(
            store: store, time: time, randomness: SeededRandomness()
        ) { delivery.yield($0.key) }
        let work = Task { try await relay.run() }
        // The clock is stopped.
        var delivered = deliveries.makeAsyncIterator()
        let first = await delivered.next()
        #expect(first == "left")
        work.cancel()
        _ = await work.result
        store.close()
    }

    @Test("a folder whose restore did not finish is refused until it has")
    func restoring() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file(Store.restoring), withIntermediateDirectories: false)
        let error = #expect(throws: StoreError.restoreUnfinished(folder: folder.path)) {
            try open(folder)
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("postern restore"))
        #expect(!folder.names.contains("entries.sqlite"))
        try FileManager.default.removeItem(atPath: folder.file(Store.restoring))
        try open(folder).close()
    }

    @Test("a completed backup is recorded with its time, which no copy has")
    func recorded() async throws {
        let log = CapturedLog()
        let store = try Entries.open(folder, time: time, log: log)
        #expect(try await store.read { try $0.backedUpAt() } == nil)
        time.advance(by: .seconds(60))
        try await store.recordBackup(bytes: 4_711)
        let line = log.lines.first { $0.contains("store.backed_up") }
        #expect(line?.contains("4711") ?? false)
        try await store.backup(to: folder.file("copy.sqlite"))
        store.close()
        let again = try open(folder)
        #expect(try await again.read { try $0.backedUpAt() } == time.now())
        let kinds = try await again.read { session in
            try session.query("SELECT kind FROM audit") { try $0.text(0) }
        }
        #expect(kinds == ["store.backed-up"])
        again.close()
        let copy = try TestStore.open("copy", Entries.migrations, in: folder.path, time: time)
        #expect(try await copy.read { try $0.backedUpAt() } == nil)
        copy.close()
    }
}

extension SQLSession {
    fileprivate func backedUpAt() throws -> Timestamp? {
        try queryOne("SELECT backed_up_at_ms FROM store_file WHERE id = 1") {
            try $0.optionalTimestamp(0)
        } ?? nil
    }
}
