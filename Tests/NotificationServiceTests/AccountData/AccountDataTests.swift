import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("G-20, G-21: the notification service's data of an account", .timeLimit(.minutes(1)))
struct AccountDataTests {
    let fixture: NotificationFixture
    let ada = AccountID.drawn(from: SeededRandomness(seed: 5))
    let eve = AccountID.drawn(from: SeededRandomness(seed: 6))

    init() throws { fixture = try NotificationFixture(in: TemporaryFolder()) }

    private var data: AccountDataHandler { fixture.outbox.accountData }

    private func register(_ token: String, of account: AccountID) async throws {
        let devices = PushDevicesHandler(
            settings: try NotificationFixture.settings([:]), store: fixture.store,
            keys: fixture.keys, randomness: SeededRandomness(seed: UInt64(token.utf8.count)))
        _ = try await devices.register(
            .init(accountId: account.text, platform: .fcm, token: token),
            fixture.context(from: "app"))
    }

    private func collect(
        _ id: String, from application: String = "identity"
    ) async throws -> [String: String] {
        var files: [String: [UInt8]] = [:]
        var name = ""
        let items = data.collectAccountData(
            .init(subject: .init(accountId: id)), fixture.context(from: application))
        for try await item in items {
            switch item.part {
            case .file(let begun):
                name = begun
                files[name] = []
            case .data(let bytes): files[name, default: []] += bytes
            case nil: Issue.record("an item without a part")
            }
        }
        return files.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    private func forget(
        _ subject: AccountDataV1.DataSubject, from application: String = "identity"
    ) async throws -> UInt32 {
        try await data.forgetAccountData(
            .init(subject: subject), fixture.context(from: application)
        ).rows
    }

    private func list(
        _ token: String = "", from application: String = "identity"
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        try await data.listAccountsWithData(
            .init(pageToken: token), fixture.context(from: application))
    }

    @Test(
        "only identity may call, and not the operator's tool",
        arguments: ["tool", "gateway", "session", "app", ""])
    func strangers(application: String) async throws {
        let denied = CallContext.onlyIdentity
        await #expect(throws: denied) { try await collect(ada.text, from: application) }
        await #expect(throws: denied) {
            try await forget(.init(accountId: ada.text), from: application)
        }
        await #expect(throws: denied) { try await list(from: application) }
    }

    @Test(
        "a malformed account id or page token is refused", arguments: ["", "7", "msg_00000000001"])
    func malformed(id: String) async throws {
        let refused = ServiceError(.invalidArgument, fields: ["subject.account_id"])
        await #expect(throws: refused) { try await collect(id) }
        await #expect(throws: refused) { try await forget(.init(accountId: id)) }
        guard !id.isEmpty else { return }
        await #expect(throws: ServiceError(.invalidArgument, fields: ["page_token"])) {
            try await list(id)
        }
    }

    @Test("too many names, an empty one and a long one are refused")
    func names() async throws {
        for emails in [
            [String](repeating: "a@b.example", count: 17), [""],
            [String(repeating: "a", count: 600)],
        ] {
            await #expect(throws: ServiceError(.invalidArgument, fields: ["subject.emails"])) {
                try await forget(.init(accountId: ada.text, emails: emails))
            }
        }
    }

    @Test("G-21: devices without tokens and messages without contents are sent; no other account's")
    func collected() async throws {
        try await register("token-canary", of: ada)
        try await register("token-of-eve-2", of: eve)
        for (account, to) in [(ada, NotificationFixture.recipient), (eve, "eve@example.net")] {
            var reset = NotificationFixture.reset(to: to)
            reset.accountId = account.text
            try await fixture.send(reset, key: to)
        }
        let files = try await collect(ada.text)
        #expect(
            Set(files.keys) == [
                "push-devices.json", "messages.json", "notification-history.json",
            ])
        #expect(files["push-devices.json"]?.contains("\"platform\":\"fcm\"") == true)
        let messages = try #require(files["messages.json"])
        #expect(messages.contains("reset-password") && messages.contains("a…@e….org"))
        #expect(!files.values.contains { $0.contains("canary") || $0.contains("e…@") })
        #expect(files["notification-history.json"]?.contains("push-device.added") == true)
    }

    @Test(
        "X-02: mails that prove an address are left out: they tell that it was free",
        arguments: ["verify-email", "verify-email-code", "email-change-confirm"])
    func unproved(template: String) async throws {
        var reset = NotificationFixture.reset(to: NotificationFixture.recipient)
        reset.accountId = ada.text
        try await fixture.send(reset, key: "1")
        let before = try await collect(ada.text)
        var proving = NotificationFixture.request(account: ada)
        proving.template = template
        if template == "verify-email-code" {
            proving.variables = [
                .init(name: "code", value: "123456"), .init(name: "minutes", value: "10"),
            ]
            proving.expiresAtMs = (fixture.time.now() + .seconds(600)).milliseconds
        }
        try await fixture.send(proving, key: "2")
        let sent = try await fixture.ask("SELECT template FROM message ORDER BY id")
        #expect(sent == [.text("reset-password"), .text(template)])
        #expect(try await collect(ada.text) == before)
    }

    @Test(
        "G-20: devices, contents and suppressions go; another account's stay; a repeat finds none")
    func forgotten() async throws {
        try await register("a", of: ada)
        try await register("bb", of: eve)
        try await fixture.send(NotificationFixture.request(account: ada), key: "1")
        try await fixture.send(NotificationFixture.request(account: eve), key: "2")
        let (keys, address) = (fixture.keys, try #require(MailAddress("Ada@example.org")))
        try await fixture.store.writeUnchecked { transaction in
            for hash in keys.suppressionHashes(of: address) {
                try transaction.suppressAddress(hash, reason: "550")
            }
            try transaction.suppressNumber(
                keys.recipient(Array("+4915112345678".utf8)), reason: "30003")
        }
        let subject = AccountDataV1.DataSubject(
            accountId: ada.text, emails: ["Ada@example.org"], phoneNumbers: ["+4915112345678"])
        #expect(try await forget(subject) > 0)
        #expect(try await fixture.ask("SELECT count(*) FROM stopped_address") == [.integer(0)])
        #expect(try await fixture.ask("SELECT count(*) FROM stopped_number") == [.integer(0)])
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE content IS NOT NULL")
                == [.integer(1)])
        #expect(
            try await fixture.ask("SELECT account_hash FROM push_device")
                == [.blob(keys.account(eve))])
        #expect(try await forget(subject) == 0)
    }

    @Test("I-09: accounts with push devices are listed; a stored account is sealed")
    func listed() async throws {
        for token in ["a", "bb"] { try await register(token, of: ada) }
        try await register("ccc", of: eve)
        let page = try await list()
        #expect(Set(page.accounts.map(\.accountId)) == [ada.text, eve.text])
        #expect(page.accounts.count == 2 && page.nextPageToken.isEmpty)
        #expect(page.accounts.allSatisfy { $0.kinds == ["push-device"] })
        _ = try await forget(.init(accountId: ada.text))
        #expect(try await list().accounts.map(\.accountId) == [eve.text])
        let stored = try await fixture.store.read { session in
            try session.query("SELECT sealed_account FROM push_device") { try $0.blob(0) }
        }
        #expect(stored.allSatisfy { !String(decoding: $0, as: UTF8.self).contains(eve.text) })
    }

    @Test("a device of an earlier version is listed when it has registered again")
    func former() async throws {
        try await register("a", of: ada)
        _ = try await fixture.store.writeUnchecked {
            try $0.execute("UPDATE push_device SET sealed_account = NULL")
        }
        #expect(try await list().accounts.isEmpty)
        try await register("a", of: ada)
        #expect(try await list().accounts.map(\.accountId) == [ada.text])
    }

    @Test("messages that a deletion ends unsent delay none that follows to the same address")
    func refunded() async throws {
        let late = "SELECT count(*) FROM message WHERE due_at_ms > accepted_at_ms"
        for number in 0..<40 {
            try await fixture.send(
                NotificationFixture.request(account: eve), key: "flood \(number)")
        }
        #expect(try await fixture.ask(late) == [.integer(20)])
        _ = try await forget(.init(accountId: eve.text))
        for number in 0..<20 {
            try await fixture.send(
                NotificationFixture.request(account: ada), key: "own \(number)")
        }
        #expect(try await fixture.ask(late) == [.integer(0)])
        try await fixture.send(NotificationFixture.request(account: ada), key: "one more")
        #expect(try await fixture.ask(late) == [.integer(1)])
    }
}
