import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("S-03, G-10: notices of the session service go to owners")
struct TellTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func tell(
        _ account: String, _ kind: IdentityV1.NoticeKind = .sessionDisplaced, key: String?,
        atMs: Int64 = 1_767_225_600_000
    ) async throws -> Bool {
        let request = IdentityV1.TellRequest(
            accountId: account, kind: kind, atMs: atMs, deviceName: "Ada's phone",
            platform: "ios")
        return try await fixture.notices.tell(request, fixture.context(key, application: "session"))
            .mailed
    }

    private func mails(_ template: String) -> [NotificationV1.SendEmailRequest] {
        fixture.notifications.mails.filter { $0.template == template }
    }

    private func register(proved: Bool) async throws -> String {
        let account = try #require(try await fixture.register().account).accountId
        if proved { try await fixture.change("UPDATE email_addresses SET proved_at_ms = 1") }
        return account
    }

    @Test("the owner gets one mail per key, in their language, with device and time")
    func mail() async throws {
        let account = try await register(proved: true)
        #expect(try await tell(account, key: "k1"))
        #expect(try await tell(account, key: "k1"), "the same answer")
        try await fixture.relay()
        let mail = try #require(mails("session-displaced").first)
        #expect(mails("session-displaced").count == 1)
        #expect(mail.recipient == "ada@example.org" && mail.language == "en-GB")
        let values = Dictionary(uniqueKeysWithValues: mail.variables.map { ($0.name, $0.value) })
        #expect(values == ["device": "Ada's phone", "time": "2026-01-01 00:00 UTC"])
    }

    @Test("a replay's mail says where it was, and names a device without a name by its program")
    func replay() async throws {
        let account = try await register(proved: true)
        let request = IdentityV1.TellRequest(
            accountId: account, kind: .sessionReplayed, atMs: 1_767_225_600_000, platform: "web",
            place: "DE;525;134;Berlin", agent: "firefox 131, linux")
        let context = fixture.context("k", application: "session")
        #expect(try await fixture.notices.tell(request, context).mailed)
        try await fixture.relay()
        let mail = try #require(mails("session-replayed").first)
        let values = Dictionary(uniqueKeysWithValues: mail.variables.map { ($0.name, $0.value) })
        #expect(
            values == [
                "device": "Firefox 131 (Linux)", "place": "Berlin, DE",
                "time": "2026-01-01 00:00 UTC",
            ])
    }

    @Test("a mail to an unproved address leaves out the device's name")
    func unproved() async throws {
        let account = try await register(proved: false)
        #expect(try await tell(account, .sessionReplayed, key: "k1"))
        try await fixture.relay()
        let mail = try #require(mails("session-replayed").first)
        #expect(mail.variables.first { $0.name == "device" }?.value == "")
    }

    @Test("three mails of one kind are sent per hour, and more are dropped")
    func flood() async throws {
        let account = try await register(proved: true)
        for number in 0..<5 {
            #expect(try await tell(account, key: "k\(number)") == (number < 3))
        }
        #expect(try await tell(account, .sessionReplayed, key: "r"), "each kind has its own count")
        fixture.time.advance(by: .seconds(3_600))
        #expect(try await tell(account, key: "later"))
        for number in 0..<3 { _ = try await tell(account, key: "again \(number)") }
        #expect(try await fixture.count("notices") == 7, "no notice deletes another")
        fixture.time.advance(by: NoticeRule.retention - NoticeRule.window + .milliseconds(1))
        try await fixture.purge()
        #expect(try await fixture.count("notices") == 3, "old rows are deleted")
    }

    @Test("an unknown or deleting account gets no mail, and the call succeeds")
    func nobody() async throws {
        let unknown = try #require(AccountID(key: 77)).text
        #expect(try await !tell(unknown, key: "k1"))
        let account = try await register(proved: true)
        try await fixture.change("UPDATE accounts SET status = 4")
        #expect(try await !tell(account, key: "k2"))
    }

    @Test("an invalid notice is refused")
    func wrong() async throws {
        let account = try await register(proved: true)
        #expect(try await refusal { try await tell("acc_x", key: "k") }.code == .invalidArgument)
        #expect(
            try await refusal { try await tell(account, .unspecified, key: "k") }.code
                == .invalidArgument)
        #expect(
            try await refusal { try await tell(account, .init(rawValue: 99), key: "k") }.code
                == .invalidArgument)
        #expect(try await refusal { try await tell(account, key: nil) }.code == .invalidArgument)
        #expect(try await tell(account, key: "k"))
        #expect(
            try await refusal { try await tell(account, .sessionReplayed, key: "k") }.code
                == .idempotencyKeyReused)
    }
}
