import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Push messages: one for each device")
struct PushMessagesTests {
    @Test(
        "N-03: a repeated call sends nothing more, even if a device was added in between")
    func repeated() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        try await fixture.register("a", of: ada)
        try await fixture.register("b", of: ada)
        let ids = try await fixture.push(to: ada)
        #expect(ids.count == 2)
        try await fixture.register("c", of: ada)
        #expect(try await fixture.push(to: ada) == ids)
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(2)])
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.push(to: ada, title: "Other")
        }
        #expect(error?.code == .idempotencyKeyReused)
        #expect(try await fixture.push(to: ada, key: "k-2").count == 3)
        await fixture.close()
    }

    @Test("N-07: the devices of one session can be left out; others and those without one get it")
    func exceptSession() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        let (acting, other) = (try #require(SessionID(key: 1)), try #require(SessionID(key: 2)))
        try await fixture.register("a", of: ada, session: acting.text)
        func push(_ key: String) async throws -> Int {
            let request = NotificationV1.SendPushRequest(
                accountId: ada.text, template: "password-changed", exceptSessionId: acting.text)
            return try await fixture.pushes.sendPush(request, fixture.context(key)).messageIds
                .count
        }
        #expect(try await push("k-1") == 0)
        try await fixture.register("b", of: ada, session: other.text)
        try await fixture.register("c", of: ada)
        #expect(try await push("k-1") == 0, "a repeat is answered as the first call")
        #expect(try await push("k-2") == 2)
        #expect(try await fixture.push(to: ada, key: "k-3").count == 3)
        await fixture.close()
    }

    @Test("an account without devices gets no message, even if a repeat finds a device")
    func none() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        #expect(try await fixture.push(to: ada).isEmpty)
        try await fixture.register("a", of: ada)
        #expect(try await fixture.push(to: ada).isEmpty)
        await fixture.close()
    }

    @Test("G-25: a key may be used again after seven days, also while nothing is purged")
    func keyExpires() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        #expect(try await fixture.push(to: ada).isEmpty)
        try await fixture.register("a", of: ada)
        fixture.time.advance(by: NotificationStore.retention)
        #expect(try await fixture.push(to: ada).isEmpty)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await fixture.push(to: ada, title: "Other").count == 1)
        #expect(try await fixture.push(to: ada, title: "Other").count == 1)
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(1)])
        await fixture.close()
    }

    @Test("SECURITY.md, Crash: a push accepted before a crash is sent once to each device")
    func crash() async throws {
        let folder = try TemporaryFolder()
        let first = try SMSAndPushFixture(in: folder)
        let ada = try SMSAndPushFixture.account(1)
        for token in ["a", "b", "c"] { try await first.register(token, of: ada) }
        try await first.push(to: ada)
        await first.close()
        let second = try SMSAndPushFixture(in: folder, seed: 2)
        try await second.delivering { try await second.until(sent: 3) }
        #expect(second.inbox.count == 3)
        #expect(try await second.push(to: ada).count == 3)
        await second.close()
        let third = try SMSAndPushFixture(in: folder, seed: 3)
        #expect(
            try await third.ask("SELECT count(*) FROM message WHERE state = 3") == [.integer(3)])
        #expect(third.inbox.count == 3)
        await third.close()
    }

    @Test("a push that cannot be sent is rejected", arguments: Self.bad)
    func refused(_ request: NotificationV1.SendPushRequest, _ field: String) async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        var request = request
        if request.accountId.isEmpty { request.accountId = try SMSAndPushFixture.account(1).text }
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.pushes.sendPush(request, fixture.context())
        }
        #expect(error?.code == .invalidArgument && error?.fields == [field])
        await fixture.close()
    }

    @Test("a push without an idempotency key is rejected")
    func noKey() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let account = try SMSAndPushFixture.account(1).text
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.pushes.sendPush(
                .init(accountId: account, title: "t"), fixture.context(nil))
        }
        #expect(error?.fields == ["idempotency-key"])
        await fixture.close()
    }

    private static let bad: [(NotificationV1.SendPushRequest, String)] = [
        (.init(accountId: "acc_x", title: "t"), "account_id"),
        (.init(), "title"),
        (.init(title: String(repeating: "t", count: 121)), "title"),
        (.init(title: "a\nb"), "title"),
        (.init(title: "a\u{9B}2Jb"), "title"),
        (.init(title: "t", body: "a\u{80}b"), "body"),
        (.init(title: "t", data: [.init(name: "a", value: "\u{9F}")]), "data"),
        (.init(title: "t", body: String(repeating: "b", count: 1_025)), "body"),
        (.init(template: "nonsense"), "template"),
        (.init(template: "phone-code"), "template"),
        (.init(template: "new-device"), "variables.device"),
        (.init(title: "t", data: [.init(name: "aps", value: "x")]), "data"),
        (.init(title: "t", data: [.init(name: "google.x", value: "x")]), "data"),
        (.init(title: "t", data: [.init(name: "postern_message", value: "x")]), "data"),
        (.init(title: "t", data: [.init(name: "a\"b", value: "x")]), "data"),
        (
            .init(
                title: "t", data: [.init(name: "a", value: String(repeating: "x", count: 1_024))]),
            "data"
        ),
        (
            .init(title: "t", data: (0..<17).map { .init(name: "\($0)", value: "x") }), "data"
        ),
        (
            .init(title: "t", data: [.init(name: "a", value: "1"), .init(name: "a", value: "2")]),
            "data"
        ),
        (.init(title: "t", collapseKey: "a\r\nb"), "collapse_key"),
        (.init(title: "t", collapseKey: String(repeating: "c", count: 65)), "collapse_key"),
        (.init(title: "t", expiresAtMs: -1), "expires_at_ms"),
        (.init(title: "t", exceptSessionId: "acc_1"), "except_session_id"),
    ]
}
