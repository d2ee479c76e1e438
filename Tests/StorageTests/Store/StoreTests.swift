import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Store: writes, reads and the lock")
struct StoreTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("above the limit of waiting writes a write fails, not processed, with a retry delay")
    func fullQueueRefuses() async throws {
        var limits = Store.Limits()
        limits.waitingWritesMax = 2
        let store = try Entries.open(folder, limits: limits)
        let held = await store.holdWriters()
        async let first: Void = store.write(about: []) { try $0.insertEntry(1) }
        async let second: Void = store.write(about: []) { try $0.insertEntry(2) }
        await store.untilWaiting(2)
        let error = await #expect(throws: ServiceError.self) {
            try await store.write(about: []) { try $0.insertEntry(3) }
        }
        #expect(error?.code == .resourceExhausted)
        #expect(error?.retryAfter != nil)
        #expect(error?.notProcessed == true)
        await held.end()
        _ = try await (first, second)
        #expect(try await store.read { try $0.entries() } == [1, 2])
        store.close()
    }

    @Test("I-07: flows in bulk have a limit of their own, and above it other writes are accepted")
    func fullBulkLineRefuses() async throws {
        var limits = Store.Limits()
        limits.waitingBulkWritesMax = 1
        let store = try Entries.open(folder, limits: limits)
        let held = await store.holdWriters()
        async let first: Void = store.write(about: [], bulkBytes: 1) { try $0.insertEntry(1) }
        await store.untilWaiting(1)
        let error = await #expect(throws: ServiceError.self) {
            try await store.write(about: [], bulkBytes: 1) { try $0.insertEntry(2) }
        }
        #expect(error?.code == .resourceExhausted && error?.retryAfter != nil)
        async let other: Void = store.write(about: []) { try $0.insertEntry(3) }
        await store.untilWaiting(2)
        await held.end()
        _ = try await (first, other)
        #expect(try await store.read { try $0.entries() } == [1, 3])
        store.close()
    }

    @Test("reads continue while the writer is held and see committed data")
    func readsGoOn() async throws {
        let store = try Entries.open(folder)
        try await store.write(about: []) { try $0.insertEntry(1) }
        let latch = Latch()
        async let held: Void = store.write(about: []) { transaction in
            try transaction.insertEntry(2)
            try latch.wait()
        }
        await latch.arrival()
        #expect(try await store.read { try $0.entries() } == [1])
        latch.open()
        try await held
        #expect(try await store.read { try $0.entries() } == [1, 2])
        store.close()
    }

    @Test("a read cannot write")
    func readsCannotWrite() async throws {
        let store = try Entries.open(folder)
        let error = await #expect(throws: ServiceError.self) {
            try await store.read { try $0.insertEntry(1) }
        }
        #expect(error?.code == .unavailable)
        store.close()
    }

    @Test("closing finishes waiting writes and rejects new ones")
    func closingDrains() async throws {
        let store = try Entries.open(folder)
        let held = await store.holdWriters()
        async let waiting: Void = store.write(about: []) { try $0.insertEntry(1) }
        await store.untilWaiting(1)
        held.latch.open()
        store.close()
        store.close()
        try await waiting
        await #expect(throws: ServiceError.self) { try await store.write(about: []) { _ in } }
        await #expect(throws: ServiceError.self) { try await store.read { _ in } }
        let again = try Entries.open(folder)
        #expect(try await again.read { try $0.entries() } == [1])
        again.close()
    }

    @Test("a second store on the same folder is an error that says what to do")
    func secondStoreIsRefused() throws {
        let store = try Entries.open(folder)
        let error = #expect(throws: StoreError.self) { try Entries.open(folder) }
        guard case .inUse(_, let process) = error, (process == nil) == (store.server != nil) else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(error?.description.contains("stop that one first") == true)
        store.close()
        try Entries.open(folder).close()
    }

    @Test("a store that is released without closing frees its lock")
    func droppedStoreUnlocks() async throws {
        try await Entries.open(folder).write(about: []) { try $0.insertEntry(1) }
        var reopened: Store?
        // Its threads end some time after the last reference is gone.
        while reopened == nil {
            do { reopened = try Entries.open(folder) } catch StoreError.inUse { await Task.yield() }
        }
        #expect(try await reopened?.read { try $0.entries() } == [1])
        reopened?.close()
    }

    @Test("a transaction has the time of its own call")
    func flowsHaveAMoment() async throws {
        let time = ManualTime()
        let store = try Entries.open(folder, time: time)
        let first = try await store.write(about: []) { $0.at }
        time.advance(by: .seconds(5))
        #expect(try await store.write(about: []) { $0.at } - first == .seconds(5))
        store.close()
    }
}
