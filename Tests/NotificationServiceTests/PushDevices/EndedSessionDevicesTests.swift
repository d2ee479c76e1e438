import Contracts
import Hosting
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Push devices of sessions that end")
struct EndedSessionDevicesTests {
    /// The notification service, and an audit trail like the session service's, whose feed it
    /// reads.
    private struct Fixture {
        let notification: SMSAndPushFixture
        let trail: Store
        let feed: FailingFeed
        let devices: EndedSessionDevices
        let ada: AccountID

        init(in folder: TemporaryFolder? = nil, time: ManualTime = ManualTime()) throws {
            let folder = try folder ?? TemporaryFolder()
            notification = try SMSAndPushFixture(in: folder, time: time)
            trail = try TestStore.open(
                "session", [], in: folder.path, time: time,
                logger: notification.log.logger(time: time))
            feed = FailingFeed(EventFeed(store: trail, time: time))
            devices = EndedSessionDevices(
                sessions: feed, store: notification.store, keys: notification.keys, time: time)
            ada = try SMSAndPushFixture.account(1)
        }

        func register(_ token: String, with session: SessionID?) async throws {
            _ = try await notification.pushDevices.register(
                .init(
                    accountId: ada.text, platform: .fcm, token: token,
                    sessionId: session?.text ?? ""), notification.context(token))
        }

        /// What the session service writes when a session ends.
        func end(_ session: SessionID, _ kind: AuditKind = .sessionEnded) async throws {
            try await trail.writeUnchecked {
                try $0.audit(AuditEvent(kind, account: ada.key, session: session.key))
            }
        }

        func count() async throws -> Int { try await notification.devices(of: ada).count }

        func close() async {
            trail.close()
            await notification.close()
        }
    }

    /// A feed that a test can make unavailable.
    private final class FailingFeed: FeedOnly {
        private let feed: EventFeed
        let answers = AnswerCount()

        init(_ feed: EventFeed) { self.feed = feed }

        func readEvents(
            _ request: EventsV1.ReadEventsRequest, _ context: CallContext
        ) async throws -> EventsV1.ReadEventsResponse {
            guard !answers.isAway else { throw ServiceError(.unavailable) }
            answers.record()
            return try await feed.readEvents(request, context)
        }
    }

    private static func session(_ key: Int64) throws -> SessionID {
        try #require(SessionID(key: key))
    }

    @Test(
        "G-09: the end of a session removes that session's push devices and no others",
        arguments: [AuditKind.sessionEnded, .refreshTokenReplayed])
    func ended(kind: AuditKind) async throws {
        let fixture = try Fixture()
        try await fixture.register("one", with: Self.session(1))
        try await fixture.register("two", with: Self.session(2))
        try await fixture.register("none", with: nil)
        _ = try await fixture.devices.follow()
        #expect(try await fixture.count() == 3)
        try await fixture.end(Self.session(1), kind)
        _ = try await fixture.devices.follow()
        #expect(try await fixture.count() == 2)
        #expect(
            try await fixture.notification.ask(
                "SELECT count(*) FROM audit WHERE kind = 'push-device.signed-out'") == [.integer(1)]
        )
        await fixture.close()
    }

    @Test(
        "G-09: other events of a session, and ends of another account's sessions, remove no device")
    func others() async throws {
        let fixture = try Fixture()
        try await fixture.register("one", with: Self.session(1))
        for kind in AuditKind.allCases
        where ![.sessionEnded, .refreshTokenReplayed, .backupRestored].contains(kind) {
            try await fixture.end(Self.session(1), kind)
        }
        let bob = try SMSAndPushFixture.account(2)
        let session = try Self.session(1)
        try await fixture.trail.writeUnchecked {
            try $0.audit(AuditEvent(.sessionEnded, account: bob.key, session: session.key))
            try $0.audit(AuditEvent(.sessionEnded))
        }
        _ = try await fixture.devices.follow()
        #expect(try await fixture.count() == 1)
        await fixture.close()
    }

    @Test("G-09: an end before the first read, or while the feed is unavailable, is not missed")
    func away() async throws {
        let fixture = try Fixture()
        try await fixture.end(Self.session(9))
        fixture.notification.time.advance(by: .seconds(3_600))
        try await fixture.register("one", with: Self.session(1))
        try await fixture.register("two", with: Self.session(2))
        // Between the registration and the first reading.
        try await fixture.end(Self.session(1))
        _ = try await fixture.devices.follow()
        #expect(try await fixture.count() == 1)
        // While the feed is unavailable.
        fixture.feed.answers.leave(true)
        try await fixture.end(Self.session(2))
        await #expect(throws: ServiceError.self) { try await fixture.devices.follow() }
        fixture.feed.answers.leave(false)
        _ = try await fixture.devices.follow()
        #expect(try await fixture.count() == 0)
        await fixture.close()
    }

    @Test("G-09: after a restart, reading continues at the stored position")
    func restart() async throws {
        let fixture = try Fixture()
        try await fixture.register("one", with: Self.session(1))
        _ = try await fixture.devices.follow()
        try await fixture.end(Self.session(1))
        await fixture.close()
        let next = try Fixture(in: fixture.notification.folder, time: fixture.notification.time)
        _ = try await next.devices.follow()
        #expect(try await next.count() == 0)
        await next.close()
    }

    @Test("G-09: if more sessions ended than one read returns, the next read follows at once")
    func many() async throws {
        let fixture = try Fixture()
        try await fixture.register("one", with: Self.session(700))
        let ada = fixture.ada
        try await fixture.trail.writeUnchecked { transaction in
            for key in 1...700 {
                try transaction.audit(
                    AuditEvent(.sessionEnded, account: ada.key, session: Int64(key)))
            }
        }
        #expect(try await fixture.devices.follow())
        #expect(try await !fixture.devices.follow())
        #expect(try await fixture.count() == 0)
        await fixture.close()
    }

    @Test("the feed is not read while no device belongs to a session")
    func idle() async throws {
        let fixture = try Fixture()
        try await fixture.register("none", with: nil)
        #expect(try await !fixture.devices.follow())
        #expect(fixture.feed.answers.count == 0)
        try await fixture.register("one", with: Self.session(1))
        try await fixture.end(Self.session(1))
        _ = try await fixture.devices.follow()
        _ = try await fixture.devices.follow()
        #expect(fixture.feed.answers.count == 1)
        #expect(
            try await fixture.notification.ask("SELECT count(*) FROM session_feed") == [.integer(0)]
        )
        await fixture.close()
    }

    @Test("after a restored session backup, devices of earlier sessions are removed")
    func restored() async throws {
        let fixture = try Fixture()
        try await fixture.register("one", with: Self.session(1))
        try await fixture.register("none", with: nil)
        fixture.notification.time.advance(by: .seconds(1))
        try await fixture.trail.writeUnchecked {
            try $0.audit(AuditEvent(.backupRestored, attempt: 1))
        }
        fixture.notification.time.advance(by: .seconds(1))
        try await fixture.register("new", with: Self.session(2))
        _ = try await fixture.devices.follow()
        #expect(try await fixture.count() == 2)
        await fixture.close()
    }
}
