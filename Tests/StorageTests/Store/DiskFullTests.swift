import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite(
    "A full or read-only disk", .enabled(if: TestStore.runs("Disk*")))
struct DiskFullTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "writes fail, reads succeed, and writes work again without a restart",
        arguments: [SQLError.diskFull, .readOnly, .diskFailed])
    func faultsPass(_ fault: SQLError) async throws {
        let plan = FaultPlan()
        let store = try Entries.open(folder, engine: FaultingEngine(plan))
        try await store.write(about: []) { try $0.insertEntry(1) }
        plan.failAll([.execute, .commit], fault)
        for number in 2...4 {
            let error = await #expect(throws: ServiceError.self) {
                try await store.write(about: []) { try $0.insertEntry(number) }
            }
            #expect(error?.code == .unavailable)
            #expect(error?.unavailablePart == "store", "B3: the error names the part")
            #expect(store.writes.failure?.detail == fault.kind.word)
            #expect(try await store.read { try $0.entries() } == [1])
        }
        plan.clearFaults()
        try await store.write(about: []) { try $0.insertEntry(5) }
        #expect(store.writes.failure == nil)
        #expect(try await store.read { try $0.entries() } == [1, 5])
        store.close()
    }

    @Test("B3: a statement that fails on a full disk counts, even if the commit succeeds")
    func statement() async throws {
        let plan = FaultPlan()
        let store = try Entries.open(folder, engine: FaultingEngine(plan))
        plan.fail(.execute, 1, .diskFull)
        await #expect(throws: ServiceError.self) {
            try await store.write(about: []) { try $0.insertEntry(1) }
        }
        #expect(store.writes.failure?.detail == "disk full")
        try await store.write(about: []) { try $0.insertEntry(1) }
        #expect(store.writes.failure == nil)
        store.close()
    }

    @Test("B3: while writes fail one is tried each second, few are logged, and health recovers")
    func retried() async throws {
        let (plan, time, log) = (FaultPlan(), ManualTime(), CapturedLog())
        let store = try Entries.open(folder, engine: FaultingEngine(plan), time: time, log: log)
        let marking = Task { try await ClockMarking(store: store, time: time).run() }
        plan.failAll([.begin], .diskFull)
        await time.sleepers(1)
        time.advance(by: ClockMark.interval)
        await time.sleepers(1)
        #expect(store.writes.failure != nil)
        for _ in 2...9 {
            time.advance(by: .seconds(1))
            await time.sleepers(1)
        }
        let warnings = log.lines.filter { $0.contains("store.clock_mark.failed") }
        #expect(warnings.count == 4, "of failures 1, 2, 4 and 8")
        plan.clearFaults()
        time.advance(by: .seconds(1))
        await time.sleepers(1)
        #expect(store.writes.failure == nil)
        marking.cancel()
        _ = await marking.result
        store.close()
    }

    @Test("B3: a writer that works on one group for half a minute counts as hanging")
    func hangs() {
        let time = ManualTime()
        let watchdog = WriterWatchdog(time: time)
        time.advance(by: .seconds(3_600))
        #expect(watchdog.isAlive, "it has nothing to do")
        watchdog.begin()
        time.advance(by: WriterWatchdog.timeout - .milliseconds(1))
        #expect(watchdog.isAlive)
        time.advance(by: .milliseconds(1))
        #expect(!watchdog.isAlive)
        watchdog.end()
        #expect(watchdog.isAlive)
    }

    @Test("SQLite's own full database is handled the same way")
    func fullDatabase() async throws {
        let store = try Entries.open(folder)
        let block = [UInt8](repeating: 1, count: 20_000)
        try await store.limitPages(to: 30)
        var stored: [Int] = []
        var refusals = 0
        for number in 1...20 {
            do {
                try await store.write(about: []) { try $0.insertEntry(number, body: block) }
                stored.append(number)
            } catch let error as ServiceError {
                #expect(error.code == .unavailable)
                refusals += 1
            }
        }
        #expect(refusals > 0)
        #expect(try await store.read { try $0.entries() } == stored)
        try await store.limitPages(to: 10_000)
        try await store.write(about: []) { try $0.insertEntry(99, body: block) }
        #expect(try await store.read { try $0.entries() } == stored + [99])
        store.close()
    }

    @Test("a transaction that ignores a full disk is rolled back whole")
    func swallowedErrorsUndo() async throws {
        let store = try Entries.open(folder)
        try await store.limitPages(to: 20)
        let block = [UInt8](repeating: 1, count: 200_000)
        _ = await store.writeTogether(3) { index, transaction in
            try transaction.insertEntry(index)
            // Wrong on purpose: the store must roll back despite the ignored error.
            try? transaction.insertEntry(index + 100, body: block)
            try transaction.put(
                "UPDATE entry SET name = 'whole ' || number WHERE number = ?",
                [.integer(Int64(index))])
        }
        let halves = try await store.read { session in
            try session.query("SELECT number FROM entry WHERE name IS NULL") { $0 }
        }
        #expect(halves.isEmpty)
        store.close()
    }
}

extension Store {
    /// Limits the writer's database to `pages` pages.
    fileprivate func limitPages(to pages: Int) async throws {
        _ = try await write(about: []) { try $0.query("PRAGMA max_page_count = \(pages)") { $0 } }
    }
}
