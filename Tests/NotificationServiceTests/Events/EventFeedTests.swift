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

    @Test("after a backup was restored, a reader gets the events that happened since")
    func restored() async throws {
        for _ in 0..<5 { try await happen(.sessionStarted) }
        let seen = try await read()
        // The backup had three events; two more were written after it was restored.
        _ = try await store.writeUnchecked {
            try $0.execute("DELETE FROM audit WHERE position > 3")
        }
        _ = try await store.writeUnchecked { try $0.execute("UPDATE feed_head SET last = 3") }
        for _ in 0..<2 { try await happen(.sessionEnded) }
        let since = try await read(after: seen.position, atMs: seen.positionAtMs)
        #expect(since.events.map(\.kind) == ["session.ended", "session.ended"])
        #expect(since.position == 5)
        store.close()
    }

    @Test("events that an older program added to the store are read once, after the next start")
    func olderProgram() async throws {
        for _ in 0..<2 { try await happen(.sessionStarted) }
        let seen = try await read()
        try await store.writeUnchecked { transaction in
            for at in 1...2 {
                try transaction.put(
                    "INSERT INTO audit (at_ms, kind) VALUES (?, 'session.ended')",
                    [.integer(seen.positionAtMs + Int64(at))])
            }
        }
        store.close()
        let again = try TestStore.open("session", [], in: folder.path, time: time)
        let next = try await EventFeed(store: again, time: time).readEvents(
            EventsV1.ReadEventsRequest(after: seen.position, afterAtMs: seen.positionAtMs),
            CallContext(application: "tool", deadline: time.uptime() + .seconds(1)))
        #expect(next.events.map(\.kind) == ["session.ended", "session.ended"])
        #expect(next.events.map(\.position) == [3, 4] && next.position == 4)
        again.close()
    }

    @Test(
        "only notification and the operator's tool may read the feed",
        arguments: ["gateway", "identity", ""])
    func rights(_ caller: String) async throws {
        await #expect(throws: ServiceError(.permissionDenied)) { try await read(as: caller) }
        store.close()
    }
}
