import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("A-01: what the records of sessions say beside their kind")
struct SessionRecordsTests {
    private static let agent = "firefox 131, linux"
    private static let origin: [SQLValue] = [.text("DE"), .text(agent)]

    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    /// The context of a call from Berlin.
    private func context(bearing token: String? = nil) -> CallContext {
        var context = fixture.context(bearing: token)
        context.metadata[Metadata.Key.place] = Place(country: "DE", city: "Berlin")?.text
        context.metadata[Metadata.Key.agent] = Self.agent
        return context
    }

    private func open(_ methods: [String] = ["pwd"]) async throws -> GatewayV1.Session {
        let response = try await fixture.service.sessions.createSession(
            SessionV1.CreateSessionRequest(
                proof: fixture.proof(try fixture.account(), methods: methods),
                device: GatewayV1.Device(deviceId: "d1", platform: "cli")),
            context())
        return try #require(response.session)
    }

    private func records(_ kind: AuditKind) async throws -> [[SQLValue]] {
        try await fixture.store.number(.audit)
        return try await fixture.store.read {
            try $0.query(
                "SELECT detail, country, agent FROM audit WHERE kind = ? ORDER BY number",
                [.text(kind.rawValue)]
            ) { $0.values }
        }
    }

    @Test("an opened session's record has its methods, country and agent, and the city is sealed")
    func opened() async throws {
        let session = try await open(["otp", "pwd"])
        #expect(try await records(.sessionStarted) == [[.text("otp pwd")] + Self.origin])
        let stored = try await fixture.store.read {
            try $0.query("SELECT place, agent FROM session") { row in
                try [row.blob("place"), row.blob("agent")]
            }
        }
        for sealed in try #require(stored.first) {
            let text = String(decoding: sealed, as: UTF8.self)
            #expect(!text.contains("Berlin") && !text.contains("firefox"))
        }
        let entry = try #require(try await fixture.list(session.accessToken).first)
        #expect(entry.place == "Berlin, DE" && entry.agent == Self.agent)
    }

    @Test("a session whose call named neither place nor agent, or malformed ones, has none")
    func unknown() async throws {
        var context = fixture.context()
        context.metadata[Metadata.Key.place] = "Berlin"
        context.metadata[Metadata.Key.agent] = "Mozilla/5.0 <script>"
        let response = try await fixture.service.sessions.createSession(
            SessionV1.CreateSessionRequest(
                proof: fixture.proof(try fixture.account()),
                device: GatewayV1.Device(deviceId: "d1", platform: "cli")),
            context)
        let session = try #require(response.session)
        #expect(try await records(.sessionStarted) == [[.text("pwd"), .null, .null]])
        let entry = try #require(try await fixture.list(session.accessToken).first)
        #expect(entry.place.isEmpty && entry.agent.isEmpty)
    }

    @Test("a sign-out and the end of other sessions are recorded with where they came from")
    func origins() async throws {
        let first = try await open()
        let second = try await open()
        let third = try await open()
        let fourth = try await open()
        _ = try await fixture.service.devices.endSession(
            .init(sessionId: first.sessionId), context(bearing: fourth.accessToken))
        _ = try await fixture.service.sessions.signOut(
            .init(refreshToken: second.refreshToken), context())
        _ = try await fixture.service.devices.endOtherSessions(
            .init(), context(bearing: fourth.accessToken))
        _ = try await fixture.service.sessions.signOut(
            .init(), context(bearing: fourth.accessToken))
        #expect(!fixture.validate(third.accessToken).valid)
        let expected = [SQLValue.text("signed-out")] + Self.origin
        #expect(try await records(.sessionEnded) == [[SQLValue]](repeating: expected, count: 4))
    }

    @Test("a replayed refresh token's record says where the replay came from")
    func replayed() async throws {
        let session = try await open()
        let child = try await fixture.refresh(session.refreshToken)
        _ = try await fixture.refresh(child.refreshToken)
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.service.sessions.signOut(
                .init(refreshToken: session.refreshToken), context())
        }
        #expect(try await records(.refreshTokenReplayed) == [[.null] + Self.origin])
    }

    @Test("a session that timed out is recorded with the reason, and without an origin")
    func timedOut() async throws {
        let idle = try await open()
        let account = try fixture.account()
        fixture.time.advance(by: .seconds(400 * 86_400))
        #expect(!fixture.validate(idle.accessToken).valid)
        #expect(
            try await fixture.endAccount(account, before: fixture.time.now(), reason: .revoked)
                == 0)
        #expect(try await records(.sessionEnded) == [[.text("inactive"), .null, .null]])
        #expect(try await records(.accountSessionsEnded) == [[.text("revoked"), .null, .null]])
    }
}
