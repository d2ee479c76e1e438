import HTTPSink
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite(
    "O-01: a restored notification store sends nothing by itself but events",
    .timeLimit(.minutes(1)))
struct NotificationRestoreTests {
    /// A copy of a fixture's store, in a folder of its own.
    private func backup(_ store: Store) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try await store.backup(to: folder.file("\(store.name).sqlite"))
        return folder
    }

    /// A message in each state that has not ended, and one that expires in a minute.
    private func waiting(_ fixture: NotificationFixture) async throws -> [String] {
        var ids: [String] = []
        for key in ["waiting", "sending"] { ids.append(try await fixture.send(key: key)) }
        try await fixture.store.writeUnchecked { transaction in
            let claimed = try #require(try transaction.claimMails(8).first)
            let end = FinishedAttempt(
                message: claimed, outcome: .failed("smtp-451", retryAfter: nil), jitter: 0)
            _ = try transaction.conclude(end, routes: [:])
        }
        ids.append(try await fixture.send(key: "queued"))
        let expiry = (fixture.time.now() + .seconds(60)).milliseconds
        ids.append(
            try await fixture.send(
                NotificationFixture.request(expiresAtMs: expiry), key: "expiring"))
        return ids
    }

    @Test("N-03: what waited is dead as `restored`, is not sent, and can be retried by hand")
    func messages() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let ids = try await waiting(fixture)
        let states = "SELECT DISTINCT state FROM message ORDER BY state"
        #expect(try await fixture.ask(states) == [.integer(0), .integer(1), .integer(2)])
        let copy = try await backup(fixture.store)
        fixture.time.advance(by: .seconds(60))
        let route = RecordingRoute()
        let restored = try NotificationFixture(
            in: copy, time: fixture.time, seed: 2, routes: [.email: route])
        try await NotificationRestore.settle(restored.store)
        #expect(
            try await restored.ask("SELECT DISTINCT reason FROM message") == [.text("restored")])
        #expect(try await restored.ask(states) == [.integer(4)])
        await restored.delivering { await restored.time.sleepers() }
        #expect(route.messages.isEmpty)
        let tool = restored.context(from: "tool")
        var retried: [Bool] = []
        for id in ids {
            let shown = try await restored.outbox.showMessage(.init(messageId: id), tool)
            retried.append(try #require(shown.message).canBeRetried)
        }
        #expect(retried == [true, true, true, false])
        _ = try await restored.outbox.retryMessage(.init(messageId: ids[1]), tool)
        try await restored.delivering { try await restored.until(sent: 1) }
        #expect(route.messages.map(\.id.text) == [ids[1]])
    }

    @Test("N-03: a call that is repeated after the restore sends nothing again")
    func calls() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let id = try await fixture.send()
        let copy = try await backup(fixture.store)
        let restored = try NotificationFixture(in: copy, time: fixture.time, seed: 2)
        try await NotificationRestore.settle(restored.store)
        #expect(try await restored.send() == id)
        await restored.delivering { await restored.time.sleepers() }
        #expect(restored.inbox.isEmpty)
    }

    @Test("messages end in slices, each once, and what has ended stays as it is")
    func slices() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        for number in 0..<5 { try await fixture.send(key: "k-\(number)") }
        _ = try await fixture.outbox.discardMessage(
            .init(messageId: try await fixture.send(key: "discarded")),
            fixture.context(from: "tool"))
        for expected in [5, 0] {
            let ended = try await fixture.store.writeUnchecked {
                try $0.endRestoredMessages(atOnce: 2)
            }
            #expect(ended == expected)
        }
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE reason = 'restored'")
                == [.integer(5)])
        #expect(try await fixture.ask("SELECT count(*) FROM dead_letter") == [.integer(5)])
    }

    @Test("a device that was signed out after the backup gets nothing; it is settled once")
    func devices() async throws {
        let ada = try SMSAndPushFixture.account(1)
        let fixture = try SMSAndPushFixture(in: TemporaryFolder())
        try await fixture.register("one", of: ada)
        let copy = try await backup(fixture.store)
        try await NotificationRestore.settle(fixture.store)
        #expect(try await fixture.devices(of: ada).count == 1, "an ordinary start keeps it")
        func restored(_ seed: UInt64) async throws -> SMSAndPushFixture {
            let next = try SMSAndPushFixture(in: copy, time: fixture.time, seed: seed)
            try await NotificationRestore.settle(next.store)
            return next
        }
        let first = try await restored(2)
        #expect(try await first.devices(of: ada).isEmpty)
        try await first.register("one", of: ada)
        await first.close()
        let next = try await restored(3)
        #expect(try await next.devices(of: ada).count == 1)
        #expect(
            try await next.ask("SELECT attempt FROM audit WHERE kind = 'store.backup-restored'")
                == [.integer(1)])
        await next.close()
        await fixture.close()
    }

    @Test("what the first start will end can be counted before it")
    func counts() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        _ = try await waiting(fixture)
        let ended = try await fixture.store.read { try NotificationStore.endedByRestore(in: $0) }
        #expect(ended.map(\.what) == ["queued messages", "push devices"])
        #expect(ended.map(\.count) == [4, 0])
    }

    @Test("an event that was delivered after the backup is sent again with the same id")
    func webhooks() async throws {
        let sink = try await HTTPSink { _ in .answer(204) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        let (copy, id) = try await fixture.working {
            let added = try await fixture.add(sink.url("/"))
            let id = try #require(added.webhook).webhookId
            try await fixture.pause(id, true)
            try await fixture.happen(.sessionStarted, account: 1)
            try await fixture.untilStore("SELECT count(*) FROM webhook_delivery", .integer(1))
            let copy = try await backup(fixture.store)
            try await fixture.session.backup(to: copy.file("session.sqlite"))
            try await fixture.pause(id, false)
            try await fixture.until { sink.requests.count == 1 }
            return (copy, id)
        }
        let restored = try WebhookFixture(in: copy, time: fixture.time, seed: 2)
        try await NotificationRestore.settle(restored.store)
        try await restored.working {
            try await restored.pause(id, false)
            try await restored.until { sink.requests.count == 2 }
        }
        #expect(Set(sink.requests.compactMap { $0.headers["webhook-id"] }).count == 1)
        for fixture in [fixture, restored] { fixture.close() }
        await sink.close()
    }
}
