import Glibc
package import Storage
import Synchronization

extension Store {
    /// Runs two flows of which the second meets the first: on a server the first has sent all its
    /// statements, and does not commit before the second waits for one of its locks or has ended.
    /// An embedded store runs one after the other.
    /// - Parameter meanwhile: runs after the first one's statements and before the second flow.
    /// - Throws: as `write`.
    package func meeting(
        _ subjects: [Subject], _ first: @escaping @Sendable (Transaction) throws -> Void,
        meanwhile: () -> Void = {},
        then others: [Subject], _ second: @escaping @Sendable (Transaction) throws -> Void
    ) async throws {
        let gate = Gate(isOpen: server == nil)
        async let held: Void = write(about: subjects) { transaction in
            try first(transaction)
            // What waits for the next statement is sent with this one.
            _ = try transaction.query("SELECT 1", []) { $0 }
            gate.hasArrived.store(true, ordering: .relaxed)
            while !gate.isOpen.load(ordering: .relaxed) { usleep(1_000) }
        }
        while !gate.hasArrived.load(ordering: .relaxed) { await Task.yield() }
        meanwhile()
        async let met: Void = {
            defer { gate.isMet.store(true, ordering: .relaxed) }
            try await self.write(about: others, second)
        }()
        while try !gate.isMet.load(ordering: .relaxed) && !isWaitingForLock() { await Task.yield() }
        gate.isOpen.store(true, ordering: .relaxed)
        _ = try await (held, met)
    }

    /// Runs a flow that another one overtakes: on a server the other one begins and commits between
    /// `reading` and `writing`, and the flow runs once more if that makes it fail. An embedded store
    /// runs the other one before it.
    /// - Returns: what the flow returned.
    /// - Throws: as `write`.
    package func overtaking<Found: Sendable, Value: Sendable>(
        _ other: @escaping @Sendable (Transaction) throws -> Void, about subjects: [Subject] = [],
        reading: @escaping @Sendable (Transaction) throws -> Found,
        writing: @escaping @Sendable (Transaction, Found) throws -> Value
    ) async throws -> Value {
        let gate = Gate(isOpen: server == nil)
        if server == nil { try await write(about: [], other) }
        async let value = write(about: subjects) { transaction in
            let found = try reading(transaction)
            gate.hasArrived.store(true, ordering: .relaxed)
            while !gate.isOpen.load(ordering: .relaxed) { usleep(1_000) }
            return try writing(transaction, found)
        }
        while !gate.hasArrived.load(ordering: .relaxed) { await Task.yield() }
        if server != nil { try await write(about: [], other) }
        gate.isOpen.store(true, ordering: .relaxed)
        return try await value
    }

    /// Whether one of this store's connections waits for a lock.
    private func isWaitingForLock() throws -> Bool {
        guard let server else { return true }
        let connection = try server.connection(application: "postern-test")
        let waiting = try connection.queryOne(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND application_name LIKE ?
            """, [.text("%/\(instance)")]
        ) { try $0.integer(0) }
        return waiting ?? 0 > 0
    }

    /// How far the two flows are.
    private final class Gate: Sendable {
        let isOpen: Atomic<Bool>
        let hasArrived = Atomic(false)
        let isMet = Atomic(false)

        init(isOpen: Bool) { self.isOpen = Atomic(isOpen) }
    }
}
