import Storage
import TestSupport
import Testing

@testable import NotificationService

/// A fixture whose messages are delivered from a real store.
protocol DeliveringFixture: Sendable {
    var store: Store { get }
    var time: ManualTime { get }
    var delivery: BackgroundDelivery { get }
}

extension DeliveringFixture {
    /// Runs the delivery workers for as long as `body` runs.
    func delivering<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        let worker = Task { await delivery.run() }
        defer { worker.cancel() }
        let value = try await body()
        worker.cancel()
        await worker.value
        return value
    }

    /// Deletes what has expired, as the duty does.
    func purge() async throws {
        let tables = NotificationStore.purges(endedMessagesFor: NotificationStore.retention)
        let purges = Purges(of: store, tables, time: time)
        while try await purges.step() {}
    }

    /// Returns one column of the rows of a query. Events of the audit trail have their numbers.
    func ask(_ sql: String) async throws -> [SQLValue] {
        try await store.number(.audit)
        return try await store.read { try $0.query(sql) { $0.values.first ?? .null } }
    }

    /// Queries the store until `sql` gives `wanted`; every query reads the real store.
    func until(
        _ sql: String, gives wanted: SQLValue, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let isGiven = try await eventually(every: .milliseconds(1)) {
            try await ask(sql) == [wanted]
        }
        #expect(isGiven, "\(sql) never gave \(wanted)", sourceLocation: location)
    }

    func until(sent count: Int64, _ location: SourceLocation = #_sourceLocation) async throws {
        try await until(
            "SELECT count(*) FROM message WHERE state = 3", gives: .integer(count), location)
    }
}
