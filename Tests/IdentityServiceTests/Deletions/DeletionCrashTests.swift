import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly

/// Each commit of a deletion is the last one before a crash, once. The step after it has had its
/// effect in other services and on the disk, but not its commit; the next start repeats it.
@Suite("G-20: a deletion that is interrupted goes on where it was", .timeLimit(.minutes(1)))
struct DeletionCrashTests {
    /// Commits of a deletion at once; after the last one nothing is left to interrupt.
    private static let commits = 12

    @Test("a crash after each commit ends as if nothing had happened", arguments: 0...commits)
    func crashed(after commits: Int) async throws {
        let holder = FailingWritesHolder()
        let first = try IdentityFixture(backend: holder.wrap)
        let (ada, token) = try await first.person()
        _ = try await first.person("eve@example.org")
        try await first.requestDeletion(IdentityFixture.caller(token))
        let backend = try #require(holder.backend)
        backend.fail(after: commits)
        let work = Task { await first.performDeletion(of: ada) }
        while backend.failures < 2, try await first.deletion(of: ada) != nil {
            try await Task.sleep(for: .milliseconds(1))
        }
        work.cancel()
        await work.value
        #expect((backend.failures > 0) == (commits < Self.commits))
        first.service.close()
        first.store.close()

        let second = try IdentityFixture(folder: first.folder, time: first.time, seed: 2)
        try await second.service.replayTombstones()
        await second.performDeletion(of: ada)
        try await requireDeleted(ada, second)
        // The relay of the first run never delivered anything after the request.
        try await second.relay()
        let last = second.notifications.mails.filter { $0.template == "deletion-done" }
        #expect(last.map(\.accountId) == [""])
        _ = try await second.signIn("eve@example.org")
        let again = try await second.registerProved("ada@example.org")
        #expect(again.accountId != ada.text)
    }

    private func requireDeleted(_ account: AccountID, _ fixture: IdentityFixture) async throws {
        #expect(try await fixture.deletion(of: account) == nil)
        for table in try await tablesOfAccounts(fixture) {
            #expect(
                try await fixture.count(table, where: "account = \(account.key)") == 0, "\(table)")
        }
        for kind in ["account.deletion-requested", "account.deletion-begun", "account.deleted"] {
            #expect(try await fixture.audited(kind) == 1, "\(kind)")
        }
    }

    private func tablesOfAccounts(_ fixture: IdentityFixture) async throws -> [String] {
        try await fixture.store.tables(with: "account").filter { $0 != "audit" }
    }

    @Test("a service that fails delays the deletion, longer each time, and is asked again")
    func failingPeer() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        fixture.notificationData.fail(.unavailable)
        await fixture.performDeletion(of: ada)
        var last = Duration.zero
        for attempt in 1...12 {
            let deletion = try #require(try await fixture.deletion(of: ada))
            #expect(deletion.step == .otherServices && deletion.attempts == Int64(attempt))
            let wait = deletion.nextAttemptAt - fixture.time.now()
            #expect(wait > .zero && wait <= DeletionWork.longestBackoff)
            if attempt == 1 { last = wait }
            fixture.time.advance(by: wait)
            await fixture.performDeletion(of: ada)
        }
        let deletion = try #require(try await fixture.deletion(of: ada))
        #expect(deletion.nextAttemptAt - fixture.time.now() > last)
        // The person is gone already, and can sign up again.
        _ = try await fixture.registerProved("ada@example.org")
        fixture.notificationData.fail(nil)
        fixture.time.advance(by: DeletionWork.longestBackoff)
        await fixture.performDeletion(of: ada)
        #expect(try await fixture.deletion(of: ada) == nil)
        #expect(fixture.metric("identity_deletion_failures", "\"other-services\"") == 13)
    }

    @Test("the worker begins when it is woken, does many at a time, and none is left")
    func many() async throws {
        let fixture = try IdentityFixture()
        var tokens: [String] = []
        for number in 0..<20 {
            tokens.append(try await fixture.person("p\(number)@example.org").token)
        }
        try await withThrowingTaskGroup { group in
            group.addTask { await fixture.service.life.deletionWork.run() }
            for token in tokens {
                try await fixture.requestDeletion(IdentityFixture.caller(token))
            }
            while try await fixture.count("deletions") > 0 { await Task.yield() }
            group.cancelAll()
        }
        #expect(try await fixture.count("accounts") == 0)
        #expect(try await fixture.audited("account.deleted") == 20)
    }
}
