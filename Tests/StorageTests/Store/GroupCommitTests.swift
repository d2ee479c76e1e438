import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite(
    "Transactions share commits", .enabled(if: TestStore.runs("GroupCommitTests")))
struct GroupCommitTests {
    struct Refused: Error, Equatable {}

    let folder: TemporaryFolder
    let plan = FaultPlan()
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, engine: FaultingEngine(plan))
    }

    @Test("waiting transactions share one commit and are there after reopening")
    func waitingFlowsShareACommit() async throws {
        let before = plan.count(.commit)
        let results = await store.writeTogether(100) { try $1.insertEntry($0) }
        #expect(results.allSatisfy { $0.error == nil })
        // One for the transaction that held the writer, one for all others.
        #expect(plan.count(.commit) - before == 2)
        store.close()
        let again = try Entries.open(folder)
        #expect(try await again.read { try $0.entries() } == Array(0..<100))
        again.close()
    }

    @Test("X-06: one whose caller goes while others of its group run is not begun")
    func goneInItsGroup() async throws {
        let latch = Latch()
        async let held: Void = store.write(about: []) { _ in try latch.wait() }
        await latch.arrival()
        let second = Waiting()
        async let first: Void = store.write(about: []) { transaction in
            try transaction.insertEntry(1)
            second.cancel()
        }
        await store.untilWaiting(1)
        let task = Task { try await store.write(about: []) { try $0.insertEntry(2) } }
        second.set(task)
        await store.untilWaiting(2)
        let before = plan.count(.commit)
        latch.open()
        _ = try await (held, first)
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.read { try $0.entries() } == [1])
        #expect(plan.count(.commit) - before == 2)
    }

    @Test("a group has a maximum size")
    func groupsAreBounded() async throws {
        let before = plan.count(.commit)
        _ = await store.writeTogether(Store.Limits().groupFlowsMax + 1) { try $1.insertEntry($0) }
        #expect(plan.count(.commit) - before == 3)
    }

    @Test("I-07: a commit carries at most 4 MiB in bulk")
    func bulkIsBounded() async throws {
        let before = plan.count(.commit)
        let results = await store.writeTogether(9, bulkBytes: 1 << 20) { try $1.insertEntry($0) }
        #expect(results.allSatisfy { $0.error == nil })
        // One for the transaction that held the writer; then 4, 4 and 1 MiB.
        #expect(plan.count(.commit) - before == 4)
    }

    @Test("I-07: of what waits, flows in bulk run last")
    func bulkRunsLast() async throws {
        let latch = Latch()
        async let held: Void = store.write(about: []) { _ in try latch.wait() }
        await latch.arrival()
        async let bulk = store.write(about: [], bulkBytes: 1) { try $0.countedEntry(1) }
        await store.untilWaiting(1)
        async let other = store.write(about: []) { try $0.countedEntry(2) }
        await store.untilWaiting(2)
        latch.open()
        _ = try await held
        #expect(try await [bulk, other] == [2, 1])
    }

    @Test("a transaction that throws rolls back only itself")
    func aThrowUndoesItself() async throws {
        let results = await store.writeTogether(10) { index, transaction in
            try transaction.insertEntry(index)
            if index.isMultiple(of: 3) { throw Refused() }
        }
        #expect(results.filter { $0.error is Refused }.count == 4)
        #expect(try await store.read { try $0.entries() } == [1, 2, 4, 5, 7, 8])
    }

    @Test("a single transaction that throws is rolled back")
    func aloneItUndoesItself() async throws {
        await #expect(throws: Refused.self) {
            try await store.write(about: []) { transaction in
                try transaction.insertEntry(1)
                throw Refused()
            }
        }
        try await store.write(about: []) { try $0.insertEntry(2) }
        #expect(try await store.read { try $0.entries() } == [2])
    }

    @Test("a violated constraint fails its own transaction and not the others of its group")
    func constraintsAreReported() async throws {
        let results = await store.writeTogether(3) { try $1.insertEntry($0, name: "same") }
        let kinds = results.map { ($0.error as? SQLError)?.kind }
        #expect(kinds == [nil, .constraint(.unique), .constraint(.unique)])
        #expect(try await store.read { try $0.entries() } == [0])
    }

    @Test("a failed commit fails all its transactions, also those that threw; the next one works")
    func failedCommitFailsAll() async throws {
        // The first commit is the one of the transaction that holds the writer.
        plan.fail(.commit, 2, .diskFull)
        let results = await store.writeTogether(5) { index, transaction in
            try transaction.insertEntry(index)
            if index == 3 { throw Refused() }
        }
        for result in results {
            let error = try #require(result.error as? ServiceError)
            #expect(error.code == .unavailable)
            #expect(error.retryAfter == .seconds(1))
        }
        #expect(try await store.read { try $0.entries() } == [])
        try await store.write(about: []) { try $0.insertEntry(9) }
        #expect(try await store.read { try $0.entries() } == [9])
    }

    @Test(
        "a failure at any step of a group leaves the store usable",
        arguments: [
            FaultPlan.Call.begin, .setMark, .releaseMark, .rollBackToMark, .commit,
        ])
    func everyStepCanFail(_ call: FaultPlan.Call) async throws {
        plan.fail(call, call == .begin || call == .commit ? 2 : 1, .diskFailed)
        let results = await store.writeTogether(4) { index, transaction in
            try transaction.insertEntry(index)
            if index == 2 { throw Refused() }
        }
        #expect(results.allSatisfy { ($0.error as? ServiceError)?.code == .unavailable })
        #expect(try await store.read { try $0.entries() } == [])
        try await store.write(about: []) { try $0.insertEntry(9) }
        #expect(try await store.read { try $0.entries() } == [9])
    }

    @Test("a connection that cannot roll back is replaced")
    func brokenConnectionIsReplaced() async throws {
        try await store.write(about: []) { try $0.insertEntry(1) }
        let opened = plan.count(.open)
        plan.fail(.commit, 1, .diskFailed)
        plan.fail(.rollBack, 1, .diskFailed)
        await #expect(throws: ServiceError.self) {
            try await store.write(about: []) { try $0.insertEntry(2) }
        }
        try await store.write(about: []) { try $0.insertEntry(3) }
        #expect(plan.count(.open) == opened + 1)
        #expect(try await store.read { try $0.entries() } == [1, 3])
    }

    @Test("a transaction that ends itself with ROLLBACK fails its group")
    func endedTransactionFailsTheGroup() async throws {
        await #expect(throws: SQLError.self) {
            try await store.write(about: []) { transaction in
                try transaction.execute("ROLLBACK")
                // Outside any transaction this row would stay.
                try? transaction.insertEntry(1)
            }
        }
        try await store.write(about: []) { try $0.insertEntry(2) }
        #expect(try await store.read { try $0.entries() } == [2])
    }
}

/// A task that another one cancels.
private final class Waiting: Sendable {
    private let task = Mutex<Task<Void, any Error>?>(nil)

    func set(_ task: Task<Void, any Error>) { self.task.withLock { $0 = task } }

    func cancel() { task.withLock { $0?.cancel() } }
}
