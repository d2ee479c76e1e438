import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// A call's task is cancelled when its deadline passes, its caller cancels, or its connection is
/// lost.
@Suite("Work whose caller has gone", .timeLimit(.minutes(1)))
struct GoneCallerTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ limits: Store.Limits = Store.Limits()) throws -> Store {
        try Entries.open(folder, limits: limits)
    }

    @Test(
        "X-06: 50 writes whose callers have gone are not begun, and the next one runs at once",
        arguments: [0, 1 << 20])
    func writes(bulkBytes: Int) async throws {
        let store = try open()
        let begun = Marks()
        let held = await store.holdWriters(bulkBytes: bulkBytes)
        var gone: [Task<Void, any Error>] = []
        for number in 0..<50 {
            gone.append(
                Task {
                    try await store.write(
                        about: [.account(Int64(number % 2))], bulkBytes: bulkBytes
                    ) {
                        begun.add(1)
                        try $0.insertEntry(number)
                    }
                })
            await store.untilWaiting(number + 1)
        }
        async let live = store.write(about: [.account(2)], bulkBytes: bulkBytes) {
            try $0.countedEntry(100)
        }
        await store.untilWaiting(51)
        for task in gone { task.cancel() }
        await held.end()
        #expect(try await live == 1)
        for task in gone { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(begun.all == [])
        #expect(try await store.read { try $0.entries() } == [100])
        store.close()
    }

    @Test("X-06: reads whose callers have gone are not begun")
    func reads() async throws {
        var limits = Store.Limits()
        limits.readers = 1
        let store = try open(limits)
        let latch = Latch()
        let begun = Marks()
        // On a server each connection is a reader.
        let readers = store.server == nil ? 1 : TestStore.writers
        let held = (0..<readers).map { _ in
            Task { try await store.read { _ in try latch.wait() } }
        }
        await latch.arrival(of: readers)
        let gone = (0..<50).map { _ in
            Task { try await store.read { _ in begun.add(1) } }
        }
        async let live = store.read { _ in 7 }
        for task in gone { task.cancel() }
        latch.open()
        #expect(try await live == 7)
        for task in gone { await #expect(throws: CancellationError.self) { try await task.value } }
        for task in held { try await task.value }
        #expect(begun.all == [])
        store.close()
    }

    @Test("a write that has begun runs to its end and is answered")
    func begunIsFinished() async throws {
        let store = try open()
        let latch = Latch()
        let task = Task {
            try await store.write(about: []) { transaction in
                try latch.wait()
                return try transaction.countedEntry(1)
            }
        }
        await latch.arrival()
        task.cancel()
        latch.open()
        #expect(try await task.value == 1)
        store.close()
    }

    @Test("what records something that has happened runs although its task is cancelled")
    func evenIfCancelled() async throws {
        let store = try open()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) {
                try await store.write(about: []) { try $0.insertEntry(1) }
            }
            try await store.write(about: [], evenIfCancelled: true) { try $0.insertEntry(2) }
        }
        try await task.value
        #expect(try await store.read { try $0.entries() } == [2])
        store.close()
    }

    @Test("I-07: writes in bulk run in turns by account, and an account has a bound of its own")
    func turns() async throws {
        var limits = Store.Limits()
        limits.waitingBulkWritesOfOneMax = 20
        limits.bulkBytesMax = 1
        let store = try open(limits)
        let held = await store.holdWriters()
        let order = Marks()
        let crowd = (0..<20).map { _ in Task { try await mark(1, in: order, store) } }
        await store.untilWaiting(20)
        let refused = await #expect(throws: ServiceError.self) {
            try await mark(1, in: order, store)
        }
        #expect(refused?.code == .resourceExhausted && refused?.notProcessed == true)
        #expect(refused?.retryAfter != nil)
        let other = Task { try await mark(2, in: order, store) }
        await store.untilWaiting(21)
        await held.end()
        try await other.value
        for task in crowd { try await task.value }
        // They share a subject, so of those that a server begins at once any may be the first.
        #expect(order.all.firstIndex(of: 2) ?? 20 <= TestStore.writers)
        #expect(order.all.count { $0 == 1 } == 20)
        store.close()
    }

    /// Writes in bulk for an account. A subject of another kind has no turn.
    private func mark(_ account: Int64, in order: Marks, _ store: Store) async throws {
        try await store.write(about: [.row("entry", 1), .account(account)], bulkBytes: 1) { _ in
            order.add(account)
        }
    }

    @Test("A-04: what is dropped, and what is refused to one account, is counted apart")
    func counted() throws {
        let registry = MetricsRegistry()
        let counts = StoreMetrics(name: "test", time: ManualTime(), factory: registry)
        for refusal in [QueueRefusal.full, .closed, .ownerFull] { counts.count(refusal) }
        counts.countDropped()
        let lines = registry.prometheusText().split(separator: "\n").map(String.init)
        for (name, count) in [("refused", 2), ("account_refused", 1), ("dropped", 1)] {
            let line = "postern_store_\(name)_total{store=\"test\"} \(count)"
            #expect(lines.contains(line), "\(line)")
        }
    }
}

/// What has run, in its order.
private final class Marks: Sendable {
    private let marks = Mutex<[Int64]>([])

    var all: [Int64] { marks.withLock { $0 } }

    func add(_ mark: Int64) { marks.withLock { $0.append(mark) } }
}
