import FoundationEssentials
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Accepting a mail")
struct EmailAcceptanceTests {
    @Test("N-01: an accepted mail is committed, with its audit record, before the response")
    func accepted() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let id = try await fixture.send()
        #expect(MessageID(text: id) != nil)
        #expect(try await fixture.ask("SELECT state FROM message") == [.integer(0)])
        #expect(try await fixture.ask("SELECT kind FROM audit") == [.text("message.accepted")])
        #expect(fixture.inbox.isEmpty)
    }

    @Test("G-25: a repeated key and request return the same message, 50 at once and days later")
    func repeated() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await fixture.send() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        fixture.time.advance(by: .seconds(3 * 86_400))
        #expect(try await fixture.send() == ids.first)
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(1)])
        #expect(try await fixture.ask("SELECT count(*) FROM audit") == [.integer(1)])
    }

    @Test("G-25: a key reused for another request is rejected; applications do not share keys")
    func reused() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let first = try await fixture.send()
        await #expect(throws: ServiceError(.idempotencyKeyReused)) {
            try await fixture.send(NotificationFixture.request(to: "eve@example.org"))
        }
        await #expect(throws: ServiceError(.idempotencyKeyReused)) {
            try await fixture.send(NotificationFixture.request(link: "https://app.example/other"))
        }
        #expect(try await fixture.send(application: "another") != first)
        #expect(try await fixture.send(key: "k-2") != first)
    }

    @Test("a mail without an idempotency key is rejected", arguments: [nil, ""] as [String?])
    func keyless(_ key: String?) async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let error = await #expect(throws: ServiceError.self) { try await fixture.send(key: key) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.fields == ["idempotency-key"])
    }

    struct Bad: Sendable {
        let request: NotificationV1.SendEmailRequest
        let code: ErrorCode
        let field: String
        init(
            _ field: String, _ code: ErrorCode = .invalidArgument,
            _ change: (inout NotificationV1.SendEmailRequest) -> Void
        ) {
            var request = NotificationFixture.request()
            change(&request)
            self.request = request
            self.code = code
            self.field = field
        }
    }

    @Test(
        "a mail that cannot be sent is rejected, and the error names the invalid field",
        arguments: [
            Bad("recipient", .invalidEmail) { $0.recipient = "ada" },
            Bad("recipient", .invalidEmail) { $0.recipient = "a@b\r\nBcc: eve@evil.example" },
            Bad("template") { $0.template = "no-such" },
            Bad("language") { $0.language = "en\r\nX: y" },
            Bad("language") { $0.language = String(repeating: "e", count: 36) },
            Bad("expires_at_ms") { $0.expiresAtMs = -1 },
            Bad("variables.link") { $0.variables = [] },
            Bad("variables.link") { $0.variables[0].value = "javascript:alert(1)" },
            Bad("variables.link") { $0.variables[0].value += "\r\nBcc: eve@evil.example" },
            Bad("variables") { $0.variables += $0.variables },
            Bad("variables") { request in
                request.variables += (0..<40).map { .init(name: "v\($0)", value: "") }
            },
        ])
    func refused(_ bad: Bad) async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let error = await #expect(throws: ServiceError.self) { try await fixture.send(bad.request) }
        #expect(error?.code == bad.code)
        #expect(error?.fields == [bad.field])
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(0)])
    }

    @Test("SECURITY.md, Secrets: neither recipient nor link is readable on disk or in the log")
    func sealed() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        try await fixture.send()
        try await fixture.store.truncateLog()
        let stored = try fixture.store.storedBytes()
        #expect(stored.contains(Array("verify-email".utf8)), "clear text is found")
        #expect(!stored.contains(Array("canary".utf8)))
        #expect(!fixture.log.lines.contains { $0.contains("canary") })
    }
}
