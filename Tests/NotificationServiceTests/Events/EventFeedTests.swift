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

    private func happen(_ kind: AuditKind, to account: Int64? = nil) async throws {
        time.advance(by: .milliseconds(10))
        try await store.writeUnchecked { try $0.audit(AuditEvent(kind, account: account)) }
    }

    private func context(_ caller: String) -> CallContext {
        CallContext(application: caller, deadline: time.uptime() + .seconds(1))
    }

    private func read(
        after position: Int64 = 0, atMs: Int64 = 0, limit: UInt32 = 0, kinds: [String] = [],
        as caller: String = "tool"
    ) async throws -> EventsV1.ReadEventsResponse {
        try await feed.readEvents(
            EventsV1.ReadEventsRequest(
                after: position, limit: limit, afterAtMs: atMs, kinds: kinds),
            context(caller))
    }

    private func list(
        _ account: Int64 = 7, before position: Int64 = 0, limit: UInt32 = 0,
        kinds: [String] = [], as caller: String = "identity"
    ) async throws -> EventsV1.ListAccountEventsResponse {
        let id = try #require(AccountID(key: account))
        return try await feed.listAccountEvents(
            EventsV1.ListAccountEventsRequest(
                accountId: id.text, before: position, limit: limit, kinds: kinds),
            context(caller))
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
        let refused = ServiceError.permitted(onlyTo: "the operator's tool and notification")
        await #expect(throws: refused) { try await read(as: caller) }
        store.close()
    }

    @Test("a reader of some kinds gets those, and the position moves over the others")
    func kinds() async throws {
        for _ in 0..<3 {
            try await happen(.sessionStarted)
            for _ in 0..<4 { try await happen(.sessionRefreshed) }
        }
        let first = try await read(limit: 2, kinds: ["session.started", "session.e*"])
        #expect(first.events.map(\.position) == [1, 6])
        #expect(first.position == 10 && !first.isWhole)
        let rest = try await read(
            after: first.position, atMs: first.positionAtMs, kinds: ["session.started"])
        #expect(rest.events.map(\.position) == [11])
        #expect(rest.position == 15 && rest.isWhole)
        let end = try await read(
            after: rest.position, atMs: rest.positionAtMs, kinds: ["account.*"])
        #expect(end.events.isEmpty && end.position == 15 && end.isWhole)
        store.close()
    }

    @Test("a reading of few kinds looks at some rows only, and says that there are more")
    func manyOthers() async throws {
        try await store.writeUnchecked { transaction in
            for _ in 0..<2_500 { try transaction.audit(AuditEvent(.sessionRefreshed)) }
        }
        try await happen(.sessionStarted)
        let first = try await read(kinds: ["session.started"])
        #expect(first.events.isEmpty && first.position == 2_000 && !first.isWhole)
        let rest = try await read(
            after: first.position, atMs: first.positionAtMs, kinds: ["session.started"])
        #expect(rest.events.map(\.position) == [2_501] && rest.isWhole)
        store.close()
    }

    @Test("an event has detail, country and agent")
    func origin() async throws {
        try await store.writeUnchecked { transaction in
            var event = AuditEvent(.signInSucceeded, account: 7, detail: .method("google"))
            event.country = "DE"
            event.agent = "firefox 131, linux"
            try transaction.audit(event)
        }
        for event in try await read().events + list().events {
            #expect(event.detail == "google" && event.country == "DE")
            #expect(event.agent == "firefox 131, linux")
        }
        store.close()
    }

    @Test("an account's events are read in pages, the newest first, without refreshes")
    func ofAccount() async throws {
        for _ in 0..<3 {
            try await happen(.sessionStarted, to: 7)
            try await happen(.sessionRefreshed, to: 7)
            try await happen(.sessionStarted, to: 8)
        }
        try await happen(.sessionEnded)
        let first = try await list(limit: 2)
        #expect(first.events.map(\.position) == [7, 4])
        #expect(first.before == 4)
        let rest = try await list(before: first.before)
        #expect(rest.events.map(\.position) == [1] && rest.before == 0)
        #expect(try await list(9).events.isEmpty)
        store.close()
    }

    @Test("a reading of few of an account's kinds looks at some rows only, and goes on")
    func fewOfAccount() async throws {
        try await happen(.signInSucceeded, to: 7)
        try await store.writeUnchecked { transaction in
            for _ in 0..<1_500 {
                try transaction.audit(AuditEvent(.documentWrittenByBackend, account: 7))
            }
        }
        let first = try await list(kinds: ["sign-in.*"])
        #expect(first.events.isEmpty && first.before == 502)
        let rest = try await list(before: first.before, kinds: ["sign-in.*"])
        #expect(rest.events.map(\.position) == [1] && rest.before == 0)
        store.close()
    }

    @Test(
        "only identity and the operator's tool may read an account's events",
        arguments: ["gateway", "notification", "session", ""])
    func rightsOfAccount(_ caller: String) async throws {
        await #expect(throws: CallContext.onlyAccountKeepers) { try await list(as: caller) }
        store.close()
    }

    @Test(
        "a request with too many patterns, or one that no kind can match, is refused",
        arguments: [
            [String](repeating: "session.*", count: 17), [""],
            [String(repeating: "a", count: 65)],
        ])
    func patterns(_ kinds: [String]) async throws {
        let refused = ServiceError(.invalidArgument, fields: ["kinds"])
        await #expect(throws: refused) { try await read(kinds: kinds) }
        await #expect(throws: refused) { try await list(kinds: kinds) }
        store.close()
    }
}
