import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("The outbox", .timeLimit(.minutes(1)))
struct OutboxRelayTests {
    struct PeerDown: Error {}

    let folder: TemporaryFolder
    let time = ManualTime()
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, time: time)
    }

    /// A message that the relay delivered, and when.
    private struct Delivery: Sendable {
        let message: OutboxMessage
        let at: Timestamp
    }

    /// Runs a relay beside `body`, which gets its deliveries as a stream. The clock is stopped, or
    /// with `timePasses` it advances in small steps as fast as tasks run.
    private func withRelay(
        timePasses: Bool = false,
        failing: @escaping @Sendable (OutboxMessage, _ attempt: Int) -> Bool = { _, _ in false },
        _ body: (inout AsyncStream<Delivery>.Iterator) async throws -> Void
    ) async throws {
        let (deliveries, outlet) = AsyncStream.makeStream(of: Delivery.self)
        let attempts = Mutex<[String: Int]>([:])
        let relay = OutboxRelay(store: store, time: time, randomness: SeededRandomness()) {
            let key = $0.key
            let attempt = attempts.withLock { attempts in
                attempts[key, default: 0] += 1
                return attempts[key, default: 0]
            }
            outlet.yield(Delivery(message: $0, at: time.now()))
            if failing($0, attempt) { throw PeerDown() }
        }
        try await withThrowingTaskGroup { group in
            group.addTask { try await relay.run() }
            if timePasses {
                group.addTask {
                    while !Task.isCancelled {
                        time.advance(by: .milliseconds(5))
                        await Task.yield()
                    }
                }
            }
            var iterator = deliveries.makeAsyncIterator()
            try await body(&iterator)
            group.cancelAll()
        }
    }

    private func message(_ key: String, orderingKey: Int64? = nil) -> OutboxMessage {
        OutboxMessage(topic: "mail", key: key, payload: Array(key.utf8), orderingKey: orderingKey)
    }

    private func untilCount(_ count: Int) async throws {
        while try await store.read({ try $0.outboxCount() }) != count { await Task.yield() }
    }

    @Test("A-04: the age of the oldest message is that of the first row, until it is deleted")
    func oldest() async throws {
        #expect(try await store.read { try $0.oldestOutboxMessage() } == nil)
        let first = time.now()
        try await store.write(about: []) { try $0.enqueue(message("k1")) }
        time.advance(by: .seconds(5))
        try await store.write(about: []) { try $0.enqueue(message("k2")) }
        #expect(try await store.read { try $0.oldestOutboxMessage() } == first)
        try await withRelay { _ in try await untilCount(0) }
        #expect(try await store.read { try $0.oldestOutboxMessage() } == nil)
    }

    @Test("G-25: a message is delivered right after its commit, under its key, and then deleted")
    func leavesAtOnce() async throws {
        try await withRelay { deliveries in
            await time.sleepers()
            let sent = OutboxMessage(
                topic: "mail", key: "k1", payload: [0, 1, 255], orderingKey: 7)
            try await store.write(about: []) { try $0.enqueue(sent) }
            // No time has passed: the clock is stopped.
            #expect(await deliveries.next()?.message == sent)
            try await untilCount(0)
        }
    }

    @Test("a transaction that is rolled back sends no message")
    func undoneSendsNothing() async throws {
        try await withRelay { deliveries in
            await #expect(throws: PeerDown.self) {
                try await store.write(about: []) { transaction in
                    try transaction.enqueue(message("undone"))
                    throw PeerDown()
                }
            }
            try await store.write(about: []) { try $0.enqueue(message("done")) }
            #expect(await deliveries.next()?.message.key == "done")
        }
    }

    @Test("messages left by a crash are sent at the next start")
    func sentAfterRestart() async throws {
        try await store.write(about: []) { try $0.enqueue(message("left")) }
        try await withRelay { deliveries in
            #expect(await deliveries.next()?.message.key == "left")
            try await untilCount(0)
        }
    }

    @Test("a failed delivery is retried, each time later, until it succeeds")
    func failuresAreRepeated() async throws {
        try await withRelay(timePasses: true, failing: { $1 <= 4 }) { deliveries in
            try await store.write(about: []) { try $0.enqueue(message("k")) }
            var before = try #require(await deliveries.next())
            for failures in 1...4 {
                let next = try #require(await deliveries.next())
                #expect(next.message == before.message)
                // The wait is at least half of 100, 200, 400, 800 ms.
                #expect(next.at - before.at >= OutboxRelay.firstBackoff * (1 << (failures - 1)) / 2)
                before = next
            }
            try await untilCount(0)
        }
    }

    @Test("a message is not sent before its time")
    func momentIsStored() async throws {
        let moment = time.now() + .seconds(2)
        try await withRelay(timePasses: true) { deliveries in
            try await store.write(about: []) { transaction in
                try transaction.enqueue(
                    OutboxMessage(topic: "mail", key: "late", payload: [], notBefore: moment))
                try transaction.enqueue(message("soon"))
            }
            var moments: [String: Timestamp] = [:]
            for _ in 0..<2 {
                let delivery = try #require(await deliveries.next())
                moments[delivery.message.key] = delivery.at
            }
            #expect(moments.count == 2)
            #expect(try #require(moments["late"]) >= moment)
            try await untilCount(0)
        }
    }

    @Test("order is kept within an ordering key, also after a failure, and other keys do not wait")
    func keysPreserveOrder() async throws {
        try await withRelay(timePasses: true, failing: { $0.key == "a1" && $1 <= 3 }) {
            deliveries in
            try await store.write(about: []) { transaction in
                for key in ["a1", "a2", "a3"] {
                    try transaction.enqueue(message(key, orderingKey: 1))
                }
                try transaction.enqueue(message("b1", orderingKey: 2))
            }
            var keys: [String] = []
            while keys.count < 7, let next = await deliveries.next() {
                keys.append(next.message.key)
            }
            #expect(keys.filter { $0 != "b1" } == ["a1", "a1", "a1", "a1", "a2", "a3"])
            #expect(keys.prefix(2).contains("b1"))
            try await untilCount(0)
        }
    }

    @Test("many messages are all sent, each once")
    func manyAreSent() async throws {
        let count = OutboxQueue.standard.deliveriesMax * 5
        try await store.write(about: []) { transaction in
            for number in 0..<count { try transaction.enqueue(message("\(number)")) }
        }
        try await withRelay { deliveries in
            var keys: [String] = []
            while keys.count < count, let next = await deliveries.next() {
                keys.append(next.message.key)
            }
            #expect(Set(keys).count == count)
            try await untilCount(0)
        }
    }

    @Test("M6: thousands of messages to a hanging receiver do not delay another queue")
    func queuesAreApart() async throws {
        let urgent = OutboxQueue(number: 1, deliveriesMax: 2)
        let waiting = 2_000
        try await store.write(about: []) { transaction in
            for number in 0..<waiting { try transaction.enqueue(message("mail \(number)")) }
        }
        let (deliveries, outlet) = AsyncStream.makeStream(of: String.self)
        let relay = OutboxRelay(
            store: store, time: time, randomness: SeededRandomness(), queues: [.standard, urgent]
        ) { message in
            // The clock is stopped, so this call never returns.
            if message.queue == .standard { try await time.sleep(for: .seconds(10)) }
            outlet.yield(message.key)
        }
        try await withThrowingTaskGroup { group in
            group.addTask { try await relay.run() }
            var iterator = deliveries.makeAsyncIterator()
            for key in ["end 1", "end 2", "end 3"] {
                try await store.write(about: []) { transaction in
                    try transaction.enqueue(
                        OutboxMessage(
                            topic: "end", key: key, payload: [], orderingKey: 1, queue: urgent))
                }
                #expect(await iterator.next() == key)
            }
            try await untilCount(waiting)
            group.cancelAll()
        }
    }

    @Test("a queue is read through its index, without sorting")
    func plan() async throws {
        // A server's plan depends on the number of rows.
        let folder = try TemporaryFolder()
        let store = try Entries.open(folder, engine: SQLiteEngine(), time: time)
        defer { store.close() }
        let plan = try await store.read { session in
            try session.query(
                """
                EXPLAIN QUERY PLAN SELECT number FROM outbox AS this
                WHERE queue = 1 AND due_at_ms <= 5 AND (holder = 7 OR leased_until_ms <= 5)
                  AND (lane IS NULL OR NOT EXISTS (
                    SELECT 1 FROM outbox AS earlier
                    WHERE earlier.lane = this.lane AND earlier.topic = this.topic
                      AND earlier.number < this.number))
                ORDER BY due_at_ms, number LIMIT 16
                """
            ) { try $0.text(3) }
        }
        let search = "SEARCH this USING INDEX outbox_by_queue (queue=? AND due_at_ms<?)"
        #expect(plan.first == search, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test(
        "messages written under every earlier version of the schema are sent",
        arguments: 1..<StorageTables.migrations.count)
    func olderMessages(_ version: Int) async throws {
        let folder = try TemporaryFolder()
        do {
            let old = try SQLiteEngine().openWriter(folder.file("entries.sqlite"))
            let migrator = Migrator(
                connection: old, time: time, logger: CapturedLog().logger(time: time))
            try migrator.run(Array(StorageTables.migrations.prefix(version)), .storage)
            try old.run(
                script: """
                    INSERT INTO outbox (topic, message_key, payload, created_at_ms, due_at_ms)
                    VALUES ('mail', 'old', x'01', 0, 0)
                    """)
        }
        // The rows of an older version are in a file; a server's stores begin with step 13.
        let store = try Entries.open(folder, engine: SQLiteEngine(), time: time)
        let due = try await store.read { [time] session in
            try session.dueOutboxMessages(.standard, for: 1, at: time.now(), limit: 10)
        }
        #expect(due.map(\.message.key) == ["old"])
        store.close()
    }
}
