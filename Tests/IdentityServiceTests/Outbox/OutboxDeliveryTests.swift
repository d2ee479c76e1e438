import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("The identity service's outbox", .timeLimit(.minutes(1)))
struct OutboxDeliveryTests {
    @Test("G-02: a crash between commit and delivery loses no mail, and the mail is sent once")
    func crash() async throws {
        let house = try IdentityFixture()
        _ = try await house.register()
        // The program ends here, before any delivery.
        house.store.close()
        #expect(house.notifications.calls == 0)
        let next = try IdentityFixture(folder: house.folder, time: house.time, seed: 2)
        try await next.relay()
        #expect(next.notifications.mails.map(\.template) == ["verify-email"])
        #expect(try await next.waiting() == 0)
    }

    @Test("N-03: a mail delivered twice has the same key, so the reader gets one mail")
    func twice() async throws {
        let house = try IdentityFixture()
        _ = try await house.register()
        let copy = try TemporaryFolder()
        // As if the program had crashed after the delivery and before deleting the row.
        try await house.store.backup(to: copy.file("identity.sqlite"))
        try await house.relay()
        let next = try IdentityFixture(
            folder: copy, time: house.time, seed: 2, notifications: house.notifications)
        try await next.relay()
        #expect(house.notifications.calls == 2)
        #expect(house.notifications.mails.count == 1)
    }

    @Test("X-07: registration works while notification is down, and the mail is sent later")
    func down() async throws {
        let house = try IdentityFixture()
        house.notifications.fail([.unavailable, .deadlineExceeded])
        let account = try await house.register().account
        #expect(account != nil)
        try await withThrowingTaskGroup { group in
            group.addTask { try await house.tasks.run() }
            while try await house.waiting() > 0 {
                house.time.advance(by: .milliseconds(50))
                await Task.yield()
            }
            group.cancelAll()
        }
        #expect(house.notifications.calls == 3)
        #expect(house.notifications.mails.count == 1)
    }

    @Test("N-03: a mail that is refused permanently is logged and dropped")
    func final() async throws {
        let house = try IdentityFixture()
        house.notifications.fail([.invalidArgument])
        _ = try await house.register()
        try await house.relay()
        #expect(house.notifications.mails.isEmpty)
        #expect(house.log.lines.contains { $0.contains("outbox.delivery.dead") })
    }

    @Test("N-03: a mail whose link has expired is not sent")
    func expired() async throws {
        let house = try IdentityFixture()
        _ = try await house.register()
        house.time.advance(by: .seconds(24 * 3_600))
        try await house.relay()
        #expect(house.notifications.calls == 0)
    }

    @Test("A-02: neither the address nor the link is readable in the outbox")
    func sealed() async throws {
        let house = try IdentityFixture()
        _ = try await house.register("canary@example.org")
        let payloads = try await house.store.read { session in
            try session.query("SELECT payload FROM outbox") { try $0.blob(0) }
        }
        let text = String(decoding: try #require(payloads.first), as: UTF8.self)
        #expect(!text.contains("canary"))
        #expect(!text.contains("verify-email"))
    }
}
