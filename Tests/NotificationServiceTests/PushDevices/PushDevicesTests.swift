import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Registration of push devices")
struct PushDevicesTests {
    @Test(
        "N-04: registering again keeps the device; its token is neither stored nor logged in clear")
    func register() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        let first = try await fixture.register("canary-token-7", of: ada)
        fixture.time.advance(by: .seconds(60))
        let again = try await fixture.register("canary-token-7", of: ada)
        #expect(first.deviceId == again.deviceId && !first.moved && !again.moved)
        let devices = try await fixture.devices(of: ada)
        #expect(devices.map(\.pushDeviceId) == [first.deviceId])
        #expect(devices.first?.seenAtMs == fixture.time.now().milliseconds)
        let blobs = try await fixture.store.read { session in
            try session.query("SELECT token, token_hash, account_hash FROM push_device") {
                try $0.blob(0) + $0.blob(1) + $0.blob(2)
            }
        }
        #expect(!String(decoding: blobs.joined(), as: UTF8.self).contains("canary"))
        #expect(!fixture.log.lines.contains { $0.contains("canary") })
        await fixture.close()
    }

    @Test("N-04: a device belongs to one account, the last that registered it")
    func moved() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        let first = try await fixture.register("token", of: ada)
        let second = try await fixture.register("token", of: bob)
        #expect(second.moved && second.deviceId != first.deviceId)
        #expect(try await fixture.devices(of: ada).isEmpty)
        #expect(try await fixture.devices(of: bob).map(\.pushDeviceId) == [second.deviceId])
        #expect(
            try await fixture.ask("SELECT kind FROM audit ORDER BY number")
                == [.text("push-device.added"), .text("push-device.moved")])
        await fixture.close()
    }

    @Test("N-04: of fifty accounts that register one device at once, one owns it")
    func race() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...50 {
                group.addTask {
                    try await fixture.register(
                        "token", of: SMSAndPushFixture.account(Int64(number)))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.ask("SELECT count(*) FROM push_device") == [.integer(1)])
        await fixture.close()
    }

    @Test("of more than twenty devices the one seen longest ago is removed")
    func bounded() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        for number in 0..<PushDevicesHandler.devicesMax {
            try await fixture.register("token-\(number)", of: ada)
            fixture.time.advance(by: .seconds(1))
        }
        let before = try await fixture.devices(of: ada)
        #expect(before.count == PushDevicesHandler.devicesMax)
        try await fixture.register("token-0", of: ada)
        fixture.time.advance(by: .seconds(1))
        try await fixture.register("one-more", of: ada)
        let after = Set(try await fixture.devices(of: ada).map(\.pushDeviceId))
        #expect(after.count == PushDevicesHandler.devicesMax)
        // token-0 was seen again, so token-1 is the oldest.
        let gone = Set(before.map(\.pushDeviceId)).subtracting(after)
        #expect(gone == [before[before.count - 2].pushDeviceId])
        await fixture.close()
    }

    @Test("N-04: a new token keeps the device, and removes the device that had that token before")
    func update() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        let device = try await fixture.register("old", of: ada).deviceId
        try await fixture.register("new", of: bob)
        _ = try await fixture.pushDevices.update(
            .init(accountId: ada.text, deviceId: device, token: "new"), fixture.context())
        #expect(try await fixture.devices(of: ada).map(\.pushDeviceId) == [device])
        #expect(try await fixture.devices(of: bob).isEmpty)
        #expect(try await fixture.register("old", of: bob).moved == false)
        await fixture.close()
    }

    @Test("another account's device is reported as not found, as an unknown one is")
    func foreign() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        let device = try await fixture.register("token", of: ada).deviceId
        let error = await #expect(throws: ServiceError.self) {
            _ = try await fixture.pushDevices.update(
                .init(accountId: bob.text, deviceId: device, token: "x"), fixture.context())
        }
        #expect(error?.code == .notFound)
        let dropped = try await fixture.pushDevices.unregister(
            .init(accountId: bob.text, deviceId: device), fixture.context())
        #expect(dropped.dropped == 0)
        #expect(try await fixture.devices(of: ada).count == 1)
        await fixture.close()
    }

    @Test("G-09, N-04: a session can remove its devices; revoking removes all of the account")
    func dropped() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        let session = try #require(SessionID(key: 9)).text
        try await fixture.register("a", of: ada, session: session)
        try await fixture.register("b", of: ada)
        try await fixture.register("c", of: bob, session: session)
        for wanted: UInt32 in [1, 0] {
            let answer = try await fixture.pushDevices.unregister(
                .init(accountId: ada.text, sessionId: session), fixture.context())
            #expect(answer.dropped == wanted)
        }
        #expect(try await fixture.devices(of: ada).count == 1)
        for wanted: UInt32 in [1, 0] {
            let answer = try await fixture.pushDevices.revokeAll(
                .init(accountId: ada.text), fixture.context())
            #expect(answer.dropped == wanted)
        }
        #expect(try await fixture.devices(of: ada).isEmpty)
        #expect(try await fixture.devices(of: bob).count == 1)
        await fixture.close()
    }

    @Test("G-09: for a session only its own device is updated, removed and marked")
    func ofSession() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        let one = try #require(SessionID(key: 1)).text
        let two = try #require(SessionID(key: 2)).text
        let device = try await fixture.register("a", of: ada, session: one)
        try await fixture.register("b", of: ada, session: two)
        #expect(device.device?.pushDeviceId == device.deviceId)
        #expect(device.device?.isCurrentSession == true)
        let error = await #expect(throws: ServiceError.self) {
            _ = try await fixture.pushDevices.update(
                .init(accountId: ada.text, deviceId: device.deviceId, token: "x", sessionId: two),
                fixture.context())
        }
        #expect(error?.code == .notFound)
        let listed = try await fixture.pushDevices.list(
            .init(accountId: ada.text, sessionId: one), fixture.context()
        ).devices
        #expect(listed.filter(\.isCurrentSession).map(\.pushDeviceId) == [device.deviceId])
        #expect(listed.count == 2)
        for (session, wanted) in [(two, 0), (one, 1), (one, 0)] as [(String, UInt32)] {
            let answer = try await fixture.pushDevices.unregister(
                .init(accountId: ada.text, deviceId: device.deviceId, sessionId: session),
                fixture.context())
            #expect(answer.dropped == wanted)
        }
        #expect(
            try await fixture.ask("SELECT count(*) FROM audit WHERE kind = 'push-device.removed'")
                == [.integer(1)])
        await fixture.close()
    }

    /// Attack: a thief's session registers invented tokens, until the owner's device has no place.
    @Test("of more than four devices of a session its oldest is removed, and none of another")
    func boundedBySession() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        let own = try #require(SessionID(key: 1)).text
        let thief = try #require(SessionID(key: 2)).text
        let device = try await fixture.register("own", of: ada, session: own).deviceId
        for number in 0..<30 {
            fixture.time.advance(by: .seconds(1))
            try await fixture.register("invented-\(number)", of: ada, session: thief)
        }
        let devices = try await fixture.devices(of: ada)
        #expect(devices.count == PushDevicesHandler.sessionDevicesMax + 1)
        #expect(devices.last?.pushDeviceId == device)
        await fixture.close()
    }

    @Test(
        "a malformed token, an unknown platform or an app that is not configured is rejected",
        arguments: [
            (GatewayV1.PushPlatform.fcm, "", ""), (.fcm, "a b", ""), (.fcm, "a\r\nb", ""),
            (.fcm, String(repeating: "a", count: 1_025), ""), (.apns, "token", "com.example.app"),
            (.apns, "../../../secret", "com.example.app"), (.apns, "abc", "com.example.app"),
            (.apns, String(repeating: "ab", count: 257), "com.example.app"),
            (.apns, String(repeating: "ab", count: 32), "com.other.app"),
            (.apns, String(repeating: "ab", count: 32), "com.example.app\r\nx: y"),
            (.fcm, "token", "a b"), (.unspecified, "token", ""), (.unrecognized(9), "token", ""),
        ])
    func refused(
        _ platform: GatewayV1.PushPlatform, _ token: String, _ app: String
    ) async throws {
        let fixture = try SMSAndPushFixture(
            in: try TemporaryFolder(), ["push-apns-topics": "com.example.app"])
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.register(
                token, of: try SMSAndPushFixture.account(1), on: platform, app: app)
        }
        #expect(error?.code == .invalidArgument)
        await fixture.close()
    }

    @Test("A-02: forgetting an account removes its devices and no other account's")
    func forgotten() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        try await fixture.register("a", of: ada)
        try await fixture.register("b", of: bob)
        let outbox = OutboxHandler(
            store: fixture.store, keys: fixture.keys, acceptance: fixture.acceptance,
            delivery: fixture.delivery, time: fixture.time)
        _ = try await outbox.forgetAccount(
            .init(accountId: ada.text), fixture.context(application: "identity"))
        #expect(try await fixture.devices(of: ada).isEmpty)
        #expect(try await fixture.devices(of: bob).count == 1)
        await fixture.close()
    }

    @Test("an APNs token in upper or lower case is the same device")
    func cases() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        let first = try await fixture.register(
            String(repeating: "ab", count: 32), of: ada, on: .apns)
        let second = try await fixture.register(
            String(repeating: "AB", count: 32), of: ada, on: .apns)
        #expect(first.deviceId == second.deviceId)
        await fixture.close()
    }
}
