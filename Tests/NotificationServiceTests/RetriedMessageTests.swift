import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

/// On a server with several writers a purge can wait for a flow that renews what it found.
@Suite("A message that is retried while its purge waits", .timeLimit(.minutes(1)))
struct RetriedMessageTests {
    /// - Returns: how many messages are left.
    private func left(
        about subjects: [Subject], _ purge: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> Int64? {
        let folder = try TemporaryFolder()
        let store = try TestStore.open(
            NotificationStore.name, NotificationStore.migrations, in: folder.path)
        defer { store.close() }
        let id = try await store.insertFailedMessage()
        try await store.meeting(
            [], { _ = try $0.renew(id, by: "tool") }, then: subjects, purge)
        return try await store.read { session in
            try session.queryOne("SELECT count(*) FROM message WHERE state = 0") {
                try $0.integer(0)
            }
        }
    }

    @Test("it stays")
    func stays() async throws {
        let left = try await left(about: [.expired]) {
            _ = try $0.forgetMessages(endedBefore: $0.at, limit: 10)
        }
        #expect(left == 1)
    }

    @Test("one that is deleted by the id that was read is lost on a server")
    func deletedByID() async throws {
        let left = try await left(about: [.table("message")]) { transaction in
            let ended = try transaction.query(
                "SELECT id FROM message WHERE ended_at_ms < ?", [SQLValue(transaction.at)]
            ) { try $0.integer(0) }
            for id in ended {
                try transaction.put("DELETE FROM message WHERE id = ?", [.integer(id)])
            }
        }
        #expect(left == (TestStore.isOnServer ? 0 : 1))
    }
}
