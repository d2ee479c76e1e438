import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite(
    "A purge and another flow, with their statements interleaved",
    .enabled(if: TestStore.runs("*InterleavingsTests")))
struct PurgeInterleavingsTests {
    @Test("a message that is retried while the purge looks at it is not deleted")
    func retried() async throws {
        let folder = try TemporaryFolder()
        var made: Interleavings?
        let store = try TestStore.open(
            NotificationStore.name, NotificationStore.migrations, in: folder.path
        ) { inner in
            let interleavings = Interleavings(inner)
            made = interleavings
            return interleavings
        }
        let id = try await store.insertFailedMessage()
        let report = try await #require(made).explore {
            _ = try await store.write(about: [.expired]) {
                try $0.forgetMessages(endedBefore: $0.at, limit: 10)
            }
        } _: {
            _ = try await store.write(about: []) { try $0.renew(id, by: "tool") }
        } _: { transaction in
            try transaction.numbers([
                "messages": "count(*) FROM message", "letters": "count(*) FROM dead_letter",
                "retries": "count(*) FROM audit",
            ])
        }
        #expect(report.wrong == [], "\(report.serial)")
        #expect(report.interleavings > 0)
        store.close()
    }
}
