import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-30: an app notes that a session is in use")
struct NoteActivityTests {
    private static let day = Duration.seconds(86_400)
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    private func note(_ token: String, _ kind: String = "screen-opened") async throws -> Int64 {
        try await fixture.service.devices.noteActivity(
            .init(kind: kind), fixture.context(bearing: token)
        ).idleExpiresAtMs
    }

    @Test("it moves the session's end for inactivity, in memory until the next flush")
    func moves() async throws {
        let tokens = try await fixture.open()
        let rows =
            "SELECT count(*) FROM session WHERE used_at_ms = \(fixture.time.now().milliseconds)"
        fixture.time.advance(by: .seconds(60))
        #expect(try await note(tokens.accessToken) == tokens.idleExpiresAtMs + 60_000)
        #expect(try await fixture.number(rows) == 1, "the row is unchanged")
        await fixture.service.background.writeRemaining()
        #expect(try await fixture.number(rows) == 0)
        fixture.time.advance(by: Self.day * 30 - .milliseconds(1))
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test("noted again within a second, the recorded use stays")
    func repeated() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(60))
        let end = try await note(tokens.accessToken)
        fixture.time.advance(by: .milliseconds(999))
        #expect(try await note(tokens.accessToken) == end)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await note(tokens.accessToken) == end + 1_000)
    }

    @Test("the end never moves beyond the session's maximum age")
    func age() async throws {
        var tokens = try await fixture.open()
        for _ in 0..<3 {
            fixture.time.advance(by: Self.day * 25)
            tokens = try await fixture.refresh(tokens.refreshToken)
        }
        #expect(try await note(tokens.accessToken) == tokens.expiresAtMs)
    }

    @Test("an expired token, an ended session and a token of no session note nothing")
    func refused() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(15 * 60))
        await expectRefused(.invalidAccessToken) { try await note(tokens.accessToken) }
        _ = try await fixture.signOut(.accessToken(tokens.accessToken))
        await expectRefused(.sessionEnded) { try await note(tokens.accessToken) }
        await expectRefused(.invalidAccessToken) { try await note("a.b.c") }
    }

    @Test(
        "a kind is 1 to 32 characters of a-z, 0-9 and the hyphen",
        arguments: [
            ("a", true), ("screen-opened", true), (String(repeating: "9", count: 32), true),
            ("", false), (String(repeating: "9", count: 33), false), ("Tap", false),
            ("tap tap", false), ("tap\n", false), ("ta\u{301}p", false),
        ])
    func kinds(kind: String, isKind: Bool) async throws {
        let tokens = try await fixture.open()
        func lines() -> [String] {
            fixture.log.lines.filter { $0.contains("session.activity.noted") }
        }
        if isKind {
            _ = try await note(tokens.accessToken, kind)
            #expect(lines().count == 1)
            #expect(lines().first?.contains("\"activity\":\"\(kind)\"") == true)
        } else {
            let error = await #expect(throws: ServiceError.self) {
                try await note(tokens.accessToken, kind)
            }
            #expect(error?.code == .invalidArgument && error?.fields == ["kind"])
            #expect(lines().isEmpty)
        }
    }
}
