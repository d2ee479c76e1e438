import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("The identity service's outbox", .timeLimit(.minutes(1)))
struct OutboxDeliveryTests {
    @Test("messages of earlier builds can be opened: what they are sealed for stays the same")
    func places() {
        #expect(SealedPlace(outbox: "email", "k") == SealedPlace(purpose: "outbox/email/k"))
        #expect(SealedPlace(outbox: "relay", "k") == SealedPlace(purpose: "outbox/email/k"))
        #expect(SealedPlace(outbox: "text", "k") == SealedPlace(purpose: "outbox/text/k"))
        #expect(SealedPlace(outbox: "notice", "k") == SealedPlace(purpose: "outbox/notice/k"))
        #expect(
            SealedPlace(outbox: OutboxTopic.grantExchange.rawValue, "k")
                == SealedPlace(purpose: "outbox/grant-exchange/k"))
    }

    @Test("G-02: a crash between commit and delivery loses no mail, and the mail is sent once")
    func crash() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.register()
        // The program ends here, before any delivery.
        fixture.store.close()
        #expect(fixture.notifications.calls == 0)
        let next = try IdentityFixture(folder: fixture.folder, time: fixture.time, seed: 2)
        try await next.relay()
        #expect(next.notifications.mails.map(\.template) == ["verify-email"])
        #expect(try await next.waiting() == 0)
    }

    @Test("N-03: a mail delivered twice has the same key, so the reader gets one mail")
    func twice() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.register()
        let copy = try TemporaryFolder()
        // As if the program had crashed after the delivery and before deleting the row.
        try await fixture.store.backup(to: copy.file("identity.sqlite"))
        try await fixture.relay()
        let next = try IdentityFixture(
            folder: copy, time: fixture.time, seed: 2, notifications: fixture.notifications)
        try await next.relay()
        #expect(fixture.notifications.calls == 2)
        #expect(fixture.notifications.mails.count == 1)
    }

    @Test("X-07: registration works while notification is down, and the mail is sent later")
    func down() async throws {
        let fixture = try IdentityFixture()
        fixture.notifications.fail([.unavailable, .deadlineExceeded])
        let account = try await fixture.register().account
        #expect(account != nil)
        try await withThrowingTaskGroup { group in
            group.addTask { try await fixture.tasks.run() }
            while try await fixture.waiting() > 0 {
                fixture.time.advance(by: .milliseconds(50))
                await Task.yield()
            }
            group.cancelAll()
        }
        #expect(fixture.notifications.calls == 3)
        #expect(fixture.notifications.mails.count == 1)
    }

    @Test("N-03: a mail that is refused permanently is logged and dropped")
    func final() async throws {
        let fixture = try IdentityFixture()
        fixture.notifications.fail([.invalidArgument])
        _ = try await fixture.register()
        try await fixture.relay()
        #expect(fixture.notifications.mails.isEmpty)
        #expect(fixture.log.lines.contains { $0.contains("outbox.delivery.dead") })
    }

    @Test("N-03: a mail whose link has expired is not sent")
    func expired() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.register()
        fixture.time.advance(by: .seconds(24 * 3_600))
        try await fixture.relay()
        #expect(fixture.notifications.calls == 0)
    }

    @Test("A-02: neither the address nor the link is readable in the outbox")
    func sealed() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.register("canary@example.org")
        let payloads = try await fixture.store.read { session in
            try session.query("SELECT payload FROM outbox") { try $0.blob(0) }
        }
        let text = String(decoding: try #require(payloads.first), as: UTF8.self)
        #expect(!text.contains("canary"))
        #expect(!text.contains("verify-email"))
    }
}
