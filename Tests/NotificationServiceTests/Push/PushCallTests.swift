import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("G-25: the record of a call to SendPush", .timeLimit(.minutes(1)))
struct PushCallTests {
    @Test("of two first calls under one key, the later one finds the messages of the earlier")
    func first() async throws {
        let folder = try TemporaryFolder()
        let store = try TestStore.open(
            NotificationStore.name, NotificationStore.migrations, in: folder.path)
        defer { store.close() }
        let (call, fingerprint): ([UInt8], [UInt8]) = ([1], [2])
        let ids = try (1...2).map { try #require(MessageID(key: Int64($0))) }
        let found = try await store.overtaking {
            try $0.insert(pushCall: call, fingerprint, messages: [ids[0]])
        } reading: {
            try $0.messages(ofPushCall: call, fingerprint)
        } writing: { transaction, found in
            if let found { return found }
            try transaction.insert(pushCall: call, fingerprint, messages: [ids[1]])
            return [ids[1]]
        }
        #expect(found == [ids[0]])
        let calls = try await store.read { session in
            try session.queryOne("SELECT count(*) FROM push_call") { try $0.integer(0) }
        }
        #expect(calls == 1)
    }
}
