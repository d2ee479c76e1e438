import Foundation
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-03, G-10: owners get notices about their sessions")
struct NoticeTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture(flags: ["--sessions-max", "1"])
    }

    @Test("S-03: a displaced session gives one notice with its device and time")
    func displaced() async throws {
        _ = try await fixture.open(on: "Ada’s phone")
        fixture.time.advance(by: .seconds(5))
        let moment = fixture.time.now()
        _ = try await fixture.open(on: "tablet")
        try await fixture.handOver()
        let notice = try #require(fixture.notices.sent.first)
        #expect(fixture.notices.sent.count == 1)
        #expect(notice.accountId == (try fixture.account()).text)
        #expect(notice.kind == .sessionDisplaced)
        #expect(notice.atMs == moment.milliseconds)
        #expect(notice.deviceName == "Ada’s phone" && notice.platform == "ios")
    }

    @Test("G-10: a replayed refresh token gives a notice")
    func replayed() async throws {
        let first = try await fixture.open(on: "phone")
        var leaf = first
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(60))
            leaf = try await fixture.refresh(leaf.refreshToken)
        }
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(first.refreshToken)
        }
        try await fixture.handOver()
        #expect(fixture.notices.sent.map(\.kind) == [.sessionReplayed])
    }

    /// The context of a call from a city.
    private func context(in city: String) -> CallContext {
        var context = fixture.context()
        context.metadata[Metadata.Key.place] = "DE;;;\(city)"
        context.metadata[Metadata.Key.agent] = "firefox 131, linux"
        return context
    }

    private func open(in city: String) async throws -> GatewayV1.Session {
        let response = try await fixture.service.sessions.createSession(
            SessionV1.CreateSessionRequest(
                proof: fixture.proof(try fixture.account()),
                device: GatewayV1.Device(deviceId: "d1", platform: "web")), context(in: city))
        return try #require(response.session)
    }

    @Test("G-10: the notice of a replay says where it was, which the outbox has sealed")
    func replayedElsewhere() async throws {
        let first = try await open(in: "Berlin")
        var leaf = first
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(60))
            leaf = try await fixture.refresh(leaf.refreshToken)
        }
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.service.sessions.refreshSession(
                GatewayV1.RefreshSessionRequest(refreshToken: first.refreshToken),
                context(in: "Canaryville"))
        }
        try await fixture.store.truncateLog()
        let stored = Data(try fixture.store.storedBytes())
        #expect(stored.range(of: Data("Canaryville".utf8)) == nil)
        try await fixture.handOver()
        let notice = try #require(fixture.notices.sent.first)
        #expect(notice.kind == .sessionReplayed && notice.place == "DE;;;Canaryville")
        #expect(notice.agent == "firefox 131, linux")
    }

    @Test("G-10: a replay by a sign-out has its place too")
    func signedOutElsewhere() async throws {
        let first = try await open(in: "Berlin")
        var leaf = first
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(60))
            leaf = try await fixture.refresh(leaf.refreshToken)
        }
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.service.sessions.signOut(
                GatewayV1.SignOutRequest(refreshToken: first.refreshToken),
                context(in: "Canaryville"))
        }
        try await fixture.handOver()
        #expect(fixture.notices.sent.map(\.place) == ["DE;;;Canaryville"])
    }

    @Test("S-03: the notice of a displaced session has the place and program of its opening")
    func displacedElsewhere() async throws {
        _ = try await open(in: "Berlin")
        fixture.time.advance(by: .seconds(5))
        _ = try await open(in: "Canaryville")
        try await fixture.handOver()
        let notice = try #require(fixture.notices.sent.first)
        #expect(notice.place == "DE;;;Berlin" && notice.agent == "firefox 131, linux")
    }

    @Test("a notice is delivered that the release before wrote, and it reads those of this one")
    func upgrade() async throws {
        let session = try await fixture.open(on: "phone")
        let former = IdentityV1.TellRequest(
            accountId: try fixture.account().text, kind: .sessionReplayed, atMs: 5)
        let stored = SessionV1.StoredNotice(
            accountId: former.accountId, kind: former.kind, atMs: former.atMs,
            sealedPlace: [1, 2, 3])
        #expect(try IdentityV1.TellRequest(decoding: stored.encoded()) == former)
        try await fixture.store.writeUnchecked { transaction in
            try transaction.enqueue(
                OutboxMessage(
                    topic: "owner-notice", key: session.sessionId, payload: former.encoded()))
        }
        try await fixture.handOver()
        let notice = try #require(fixture.notices.sent.first)
        #expect(notice.kind == .sessionReplayed && notice.atMs == 5 && notice.place == "")
        #expect(notice.deviceName == "phone")
    }

    @Test("a sign-out, an ended account and a timeout give no notice")
    func silent() async throws {
        let one = try await fixture.open(on: "phone")
        #expect(try await fixture.signOut(.accessToken(one.accessToken)) == 1)
        _ = try await fixture.open(on: "phone")
        fixture.time.advance(by: .seconds(1))
        let ended = try await fixture.endAccount(
            try fixture.account(), before: fixture.time.now())
        #expect(ended == 1)
        #expect(try await fixture.waiting() == 0)
    }

    @Test("if identity is down, only the notice is delayed")
    func down() async throws {
        fixture.notices.fail([.unavailable, .deadlineExceeded, .unknownMethod])
        _ = try await fixture.open(on: "phone")
        let second = try await fixture.open(on: "tablet")
        #expect(fixture.validate(second.accessToken).valid)
        #expect(try await fixture.waiting() == 1)
        try await fixture.handOver()
        #expect(fixture.notices.calls == 4)
        #expect(fixture.notices.sent.count == 1)
    }

    @Test("a notice survives a restart and the erasure of its session")
    func crash() async throws {
        _ = try await fixture.open(on: "phone")
        _ = try await fixture.open(on: "tablet")
        try await fixture.restart()
        _ = try await fixture.store.writeUnchecked { try $0.execute("DELETE FROM session") }
        try await fixture.handOver()
        #expect(fixture.notices.sent.map(\.deviceName) == [""])
    }

    @Test(
        "a notice that identity permanently rejects is reported and dropped",
        arguments: [ErrorCode.invalidArgument, .idempotencyKeyReused])
    func final(code: ErrorCode) async throws {
        fixture.notices.fail([code])
        _ = try await fixture.open(on: "phone")
        _ = try await fixture.open(on: "tablet")
        try await fixture.handOver()
        #expect(fixture.notices.sent.isEmpty)
        #expect(fixture.log.lines.contains { $0.contains("outbox.delivery.dead") })
    }

    @Test("A-02: a device's name is stored only encrypted")
    func sealed() async throws {
        _ = try await fixture.open(on: "canary name")
        _ = try await fixture.open(on: "tablet")
        try await fixture.store.truncateLog()
        let stored = Data(try fixture.store.storedBytes())
        #expect(stored.range(of: Data("ios".utf8)) != nil, "unencrypted text is found")
        #expect(stored.range(of: Data("canary name".utf8)) == nil)
    }
}
