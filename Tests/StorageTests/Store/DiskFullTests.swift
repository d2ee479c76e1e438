import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("A disk that is full or cannot be written")
struct DiskFullTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "writes are refused, reads served, and both work again without a restart",
        arguments: [SQLError.diskFull, .readOnly, .diskFailed])
    func faultsPass(_ fault: SQLError) async throws {
        let plan = FaultPlan()
        let store = try Entries.open(folder, engine: FaultingEngine(plan))
        try await store.write { try $0.insertEntry(1) }
        plan.failAll([.execute, .commit], fault)
        for number in 2...4 {
            let error = await #expect(throws: ServiceError.self) {
                try await store.write { try $0.insertEntry(number) }
            }
            #expect(error?.code == .unavailable)
            #expect(try await store.read { try $0.entries() } == [1])
        }
        plan.heal()
        try await store.write { try $0.insertEntry(5) }
        #expect(try await store.read { try $0.entries() } == [1, 5])
        store.close()
    }

    @Test("SQLite's own full database, too")
    func fullDatabase() async throws {
        let store = try Entries.open(folder)
        let block = [UInt8](repeating: 1, count: 20_000)
        try await store.limitPages(to: 30)
        var kept: [Int] = []
        var refusals = 0
        for number in 1...20 {
            do {
                try await store.write { try $0.insertEntry(number, body: block) }
                kept.append(number)
            } catch let error as ServiceError {
                #expect(error.code == .unavailable)
                refusals += 1
            }
        }
        #expect(refusals > 0)
        #expect(try await store.read { try $0.entries() } == kept)
        try await store.limitPages(to: 10_000)
        try await store.write { try $0.insertEntry(99, body: block) }
        #expect(try await store.read { try $0.entries() } == kept + [99])
        store.close()
    }

    @Test("a flow that swallows a full disk leaves nothing half done")
    func swallowedErrorsUndo() async throws {
        let store = try Entries.open(folder)
        try await store.limitPages(to: 20)
        let block = [UInt8](repeating: 1, count: 200_000)
        _ = await store.writeTogether(3) { index, transaction in
            try transaction.insertEntry(index)
            // Wrong on purpose: the store must hold against it.
            try? transaction.insertEntry(index + 100, body: block)
            try transaction.execute(
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
    /// Lets the writer's database grow to `pages` only.
    fileprivate func limitPages(to pages: Int) async throws {
        _ = try await write { try $0.query("PRAGMA max_page_count = \(pages)") { $0 } }
    }
}
