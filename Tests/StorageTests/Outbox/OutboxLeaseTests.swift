import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("Leases of the outbox")
struct OutboxLeaseTests {
    let folder: TemporaryFolder
    let otherFolder: TemporaryFolder
    let time = ManualTime()
    let one: Store
    /// A second instance on the database of `one`.
    let other: Store

    init() throws {
        folder = try TemporaryFolder()
        otherFolder = try TemporaryFolder()
        one = try Entries.open(folder, time: time)
        other = try TestStore.openBeside(
            one, Entries.migrations, in: otherFolder.path, time: time)
    }

    /// What the relays delivered.
    private final class Deliveries: Sendable {
        struct Delivery: Equatable {
            let key: String
            let instance: Int64
            let at: Timestamp
        }

        private let made = Mutex<[Delivery]>([])

        var all: [Delivery] { made.withLock { $0 } }

        func add(_ delivery: Delivery) { made.withLock { $0.append(delivery) } }
    }

    /// Runs relays of these stores beside `body`.
    /// - Parameter takes: how long each delivery takes.
    private func withRelays(
        of stores: [Store], takes: Duration = .zero, _ body: (Deliveries) async throws -> Void
    ) async throws {
        let deliveries = Deliveries()
        try await withThrowingTaskGroup { group in
            for store in stores {
                let relay = OutboxRelay(
                    store: store, time: time, randomness: SeededRandomness()
                ) { [time] message in
                    deliveries.add(
                        .init(key: message.key, instance: store.instance, at: time.now()))
                    try await time.sleep(for: takes)
                }
                group.addTask { try await relay.run() }
            }
            try await body(deliveries)
            group.cancelAll()
        }
    }

    private func message(_ key: String, orderingKey: Int64? = nil) -> OutboxMessage {
        OutboxMessage(topic: "mail", key: key, payload: Array(key.utf8), orderingKey: orderingKey)
    }

    private func untilEmpty() async throws {
        while try await one.read({ try $0.outboxCount() }) != 0 { await Task.yield() }
    }

    /// The messages that the instance of `store` may deliver or claim now.
    private func due(at store: Store) async throws -> [OutboxRelay.Row] {
        let (instance, now) = (store.instance, time.now())
        return try await store.read {
            try $0.dueOutboxMessages(.standard, for: instance, at: now, limit: 100)
        }
    }

    private func claim(_ row: OutboxRelay.Row, at store: Store) async throws -> OutboxRelay.Row? {
        try await store.write(about: [.row("outbox", row.number)]) {
            try $0.claimOutboxMessage(row)
        }
    }

    @Test("two instances deliver each message once, and those of an ordering key in their order")
    func twoInstances() async throws {
        let count = 60
        for index in 0..<count {
            // Both instances write with both keys; each third message has no key.
            let orderingKey = index % 3 == 2 ? nil : Int64(index % 3)
            try await (index.isMultiple(of: 2) ? one : other).write(about: []) {
                try $0.enqueue(message("\(index)", orderingKey: orderingKey))
            }
        }
        // The clock is stopped, so no lease ends.
        try await withRelays(of: [one, other]) { deliveries in
            try await untilEmpty()
            let all = deliveries.all
            #expect(all.compactMap { Int($0.key) }.sorted() == Array(0..<count))
            for key in 0...1 {
                let ofKey = all.filter { Int($0.key).map { $0 % 3 == key } ?? false }
                #expect(
                    ofKey.compactMap { Int($0.key) }
                        == Array(stride(from: key, to: count, by: 3)))
                // It stays with the instance that delivered its first message.
                let first = key == 0 ? one : other
                #expect(ofKey.allSatisfy { $0.instance == first.instance })
            }
            for delivery in all {
                guard let index = Int(delivery.key), index % 3 == 2 else { continue }
                let writer = index.isMultiple(of: 2) ? one : other
                #expect(delivery.instance == writer.instance)
            }
        }
    }

    @Test("an instance delivers what it has written with no write but the deletion")
    func ordinaryCase() async throws {
        try await one.plant(
            "outbox_changed", "AFTER UPDATE ON outbox",
            "INSERT INTO entry (number, name) VALUES (1, NULL)")
        try await withRelays(of: [one, other]) { deliveries in
            for index in 0..<20 {
                try await one.write(about: []) {
                    try $0.enqueue(
                        message("\(index)", orderingKey: index.isMultiple(of: 2) ? 1 : nil))
                }
            }
            try await untilEmpty()
            #expect(deliveries.all.count == 20)
        }
        #expect(try await one.read { try $0.entries() } == [])
    }

    @Test("a message whose holder stopped after its claim is delivered by another after 10 s")
    func holderStopped() async throws {
        try await one.write(about: []) { try $0.enqueue(message("left")) }
        time.advance(by: .seconds(60))
        let row = try #require(try await due(at: one).first)
        _ = try #require(try await claim(row, at: one))
        let claimed = time.now()
        try await withRelays(of: [other]) { deliveries in
            for _ in 0..<5 {
                await time.sleepers()
                #expect(deliveries.all.isEmpty)
                time.advance(by: OutboxRelay.restMax)
            }
            try await untilEmpty()
            let delivery = Deliveries.Delivery(
                key: "left", instance: other.instance, at: claimed + .seconds(10))
            #expect(deliveries.all == [delivery])
        }
    }

    @Test("a delivery that takes longer than the lease keeps its message")
    func renewal() async throws {
        let seconds = 25
        try await withRelays(of: [one, other], takes: .seconds(seconds)) { deliveries in
            try await one.write(about: []) { try $0.enqueue(message("slow")) }
            for _ in 0..<seconds {
                // Both relays and the delivery.
                await time.sleepers(3)
                time.advance(by: .seconds(1))
            }
            try await untilEmpty()
            #expect(deliveries.all.map(\.instance) == [one.instance])
        }
    }

    @Test("of two claims of a message one succeeds, and only its holder records the outcome")
    func fence() async throws {
        try await one.write(about: []) { try $0.enqueue(message("k")) }
        #expect(try await due(at: other).isEmpty)
        time.advance(by: OutboxRelay.lease)
        let row = try #require(try await due(at: one).first)
        let claimed = try #require(try await claim(row, at: one))
        #expect(try await claim(row, at: other) == nil)

        time.advance(by: OutboxRelay.lease)
        let overdue = try #require(try await due(at: other).first)
        #expect(overdue.holder == one.instance)
        let taken = try #require(try await claim(overdue, at: other))
        let later = time.now() + .seconds(60)
        try await one.write(about: []) { transaction in
            try transaction.postponeOutboxMessage(claimed, until: later)
            try transaction.removeOutboxMessage(claimed)
        }
        #expect(try await due(at: other).map(\.attempts) == [0])
        #expect(try await claim(claimed, at: one) == nil)
        try await other.write(about: []) { try $0.removeOutboxMessage(taken) }
        #expect(try await other.read { try $0.outboxCount() } == 0)
    }

    @Test("a message with a later time, at first or after a failure, is its holder's until then")
    func laterMoments() async throws {
        let wait = Duration.seconds(60)
        let message = OutboxMessage(
            topic: "mail", key: "late", payload: [], notBefore: time.now() + wait)
        try await one.write(about: []) { try $0.enqueue(message) }
        for attempts in [Int64(0), 1] {
            #expect(try await due(at: one).isEmpty)
            time.advance(by: wait)
            let row = try #require(try await due(at: one).first)
            #expect(row.attempts == attempts)
            #expect(row.holder == one.instance)
            #expect(row.leasedUntil == time.now() + OutboxRelay.lease)
            #expect(try await due(at: other).isEmpty)
            let next = time.now() + wait
            try await one.write(about: []) { try $0.postponeOutboxMessage(row, until: next) }
        }
        time.advance(by: wait + OutboxRelay.lease)
        #expect(try await due(at: other).count == 1)
    }
}
