import Storage
import Synchronization
import TestSupport
import Testing

@Suite(
    "Interleaved flows leave what serial ones leave",
    .enabled(if: TestStore.runs("*InterleavingsTests")))
struct InterleavingsTests {
    let folder: TemporaryFolder
    let store: Store
    let interleavings: Interleavings

    init() async throws {
        folder = try TemporaryFolder()
        let held = Mutex<Interleavings?>(nil)
        store = try Items.open(folder) { inner in
            let interleavings = Interleavings(inner)
            held.withLock { $0 = interleavings }
            return interleavings
        }
        interleavings = try #require(held.withLock { $0 })
        try await store.write(about: [.account(1)]) { try $0.addItem(1, 1) }
    }

    private func explore(
        _ subjects: [Subject], _ flow: @escaping @Sendable (Int64, Transaction) throws -> Void
    ) async throws -> Interleavings.Report {
        async let report = interleavings.explore { "\(try $0.items(1)) items" }
        while !interleavings.isWaiting { await Task.yield() }
        async let first: Void = store.write(about: subjects) { try flow(2, $0) }
        async let second: Void = store.write(about: subjects) { try flow(3, $0) }
        _ = try await (first, second)
        return try await report
    }

    /// The last free place goes to one of the two.
    private static func addOne(_ id: Int64, _ transaction: Transaction) throws {
        guard try transaction.items(1) < Items.perAccountMax else { return }
        try transaction.addItem(id, 1)
    }

    @Test("flows about the same account do not overlap")
    func declared() async throws {
        let report = try await explore([.account(1)]) { try Self.addOne($0, $1) }
        #expect(report.wrong.isEmpty)
        #expect(report.interleavings > 0)
        #expect(try await store.write(about: []) { try $0.items(1) } == 2)
    }

    @Test("a subject that is locked before what is decided about is read is enough")
    func lockedFirst() async throws {
        let report = try await explore([]) { id, transaction in
            try transaction.lock(.account(1))
            try Self.addOne(id, transaction)
        }
        #expect(report.wrong.isEmpty)
    }

    @Test("a planted count before the lock is found")
    func countBeforeTheLock() async throws {
        let report = try await explore([]) { id, transaction in
            let count = try transaction.items(1)
            try transaction.lock(.account(1))
            if count < Items.perAccountMax { try transaction.addItem(id, 1) }
        }
        #expect(report.wrong.contains { $0.contains("3 items") })
    }

    @Test("planted memory, written inside a flow, is found")
    func memoryInAFlow() async throws {
        let seen = Mutex<Set<Int64>>([])
        let report = try await explore([.account(1)]) { id, transaction in
            guard seen.withLock({ $0.insert(id).inserted }) else { return }
            try Self.addOne(id, transaction)
        }
        #expect(!report.wrong.isEmpty)
    }
}
