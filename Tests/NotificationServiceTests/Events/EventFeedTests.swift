import Hosting
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@Suite("A service's audit trail as an event feed")
struct EventFeedTests {
    private let time = ManualTime()
    private let folder: TemporaryFolder
    private let store: Store
    private let feed: EventFeed

    init() throws {
        folder = try TemporaryFolder()
        store = try TestStore.open("session", [], in: folder.path, time: time)
        feed = EventFeed(store: store, time: time)
    }

    private func happen(_ kind: AuditKind) async throws {
        time.advance(by: .milliseconds(10))
        try await store.writeUnchecked { try $0.audit(AuditEvent(kind)) }
    }

    private func read(
        after position: Int64 = 0, atMs: Int64 = 0, limit: UInt32 = 0, as caller: String = "tool"
    ) async throws -> EventsV1.ReadEventsResponse {
        try await feed.readEvents(
            EventsV1.ReadEventsRequest(after: position, limit: limit, afterAtMs: atMs),
            CallContext(application: caller, deadline: time.uptime() + .seconds(1)))
    }

    @Test("a feed is read in pages, and the last page says that it is the last")
    func parts() async throws {
        for _ in 0..<3 { try await happen(.sessionStarted) }
        let first = try await read(limit: 2)
        #expect(first.events.map(\.position) == [1, 2])
        #expect(!first.isWhole)
        let rest = try await read(after: first.position, atMs: first.positionAtMs)
        #expect(rest.events.map(\.position) == [3])
        #expect(rest.isWhole)
        let end = try await read(after: rest.position, atMs: rest.positionAtMs)
        #expect(end.events.isEmpty && end.position == 3 && end.isWhole)
        store.close()
    }

    @Test("a reader that knows only a position gets the events after it")
    func positionAlone() async throws {
        for _ in 0..<3 { try await happen(.sessionStarted) }
        #expect(try await read(after: 2).events.map(\.position) == [3])
        #expect(try await read(after: 3).events.isEmpty)
        store.close()
    }

    @Test("after a backup was restored, a reader gets the events that happened since")
    func restored() async throws {
        for _ in 0..<5 { try await happen(.sessionStarted) }
        let seen = try await read()
        // The backup had three events; two more were written after it was restored.
        _ = try await store.writeUnchecked {
            try $0.execute("DELETE FROM audit WHERE number > 3")
        }
        for _ in 0..<2 { try await happen(.sessionEnded) }
        // They get the numbers that the lost ones had.
        try await store.number(.audit)
        _ = try await store.writeUnchecked {
            try $0.execute("UPDATE audit SET number = number - 2 WHERE number > 3")
        }
        let since = try await read(after: seen.position, atMs: seen.positionAtMs)
        #expect(since.events.map(\.kind) == ["session.ended", "session.ended"])
        #expect(since.position == 5)
        store.close()
    }

    @Test(
        "only notification and the operator's tool may read the feed",
        arguments: ["gateway", "identity", ""])
    func rights(_ caller: String) async throws {
        await #expect(throws: ServiceError(.permissionDenied)) { try await read(as: caller) }
        store.close()
    }
}
