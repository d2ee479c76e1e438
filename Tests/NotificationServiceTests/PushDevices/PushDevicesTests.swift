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
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        let first = try await bench.register("canary-token-7", of: ada)
        bench.time.advance(by: .seconds(60))
        let again = try await bench.register("canary-token-7", of: ada)
        #expect(first.deviceId == again.deviceId && !first.moved && !again.moved)
        let devices = try await bench.devices(of: ada)
        #expect(devices.map(\.deviceId) == [first.deviceId])
        #expect(devices.first?.seenAtMs == bench.time.now().milliseconds)
        let blobs = try await bench.store.read { session in
            try session.query("SELECT token, token_hash, account_hash FROM push_device") {
                try $0.blob(0) + $0.blob(1) + $0.blob(2)
            }
        }
        #expect(!String(decoding: blobs.joined(), as: UTF8.self).contains("canary"))
        #expect(!bench.log.lines.contains { $0.contains("canary") })
        await bench.close()
    }

    @Test("N-04: a device belongs to one account, the last that registered it")
    func moved() async throws {
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        let first = try await bench.register("token", of: ada)
        let second = try await bench.register("token", of: bob)
        #expect(second.moved && second.deviceId != first.deviceId)
        #expect(try await bench.devices(of: ada).isEmpty)
        #expect(try await bench.devices(of: bob).map(\.deviceId) == [second.deviceId])
        #expect(
            try await bench.ask("SELECT kind FROM audit ORDER BY rowid")
                == [.text("push-device.added"), .text("push-device.moved")])
        await bench.close()
    }

    @Test("N-04: of fifty accounts that register one device at once, one owns it")
    func race() async throws {
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...50 {
                group.addTask {
                    try await bench.register("token", of: SMSAndPushFixture.account(Int64(number)))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.ask("SELECT count(*) FROM push_device") == [.integer(1)])
        await bench.close()
    }

    @Test("of more than twenty devices the one seen longest ago is removed")
    func bounded() async throws {
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        for number in 0..<PushDevicesHandler.devicesMax {
            try await bench.register("token-\(number)", of: ada)
            bench.time.advance(by: .seconds(1))
        }
        let before = try await bench.devices(of: ada)
        #expect(before.count == PushDevicesHandler.devicesMax)
        try await bench.register("token-0", of: ada)
        bench.time.advance(by: .seconds(1))
        try await bench.register("one-more", of: ada)
        let after = Set(try await bench.devices(of: ada).map(\.deviceId))
        #expect(after.count == PushDevicesHandler.devicesMax)
        // token-0 was seen again, so token-1 is the oldest.
        let gone = Set(before.map(\.deviceId)).subtracting(after)
        #expect(gone == [before[before.count - 2].deviceId])
        await bench.close()
    }

    @Test("N-04: a new token keeps the device, and removes the device that had that token before")
    func update() async throws {
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        let device = try await bench.register("old", of: ada).deviceId
        try await bench.register("new", of: bob)
        _ = try await bench.pushDevices.update(
            .init(accountId: ada.text, deviceId: device, token: "new"), bench.context())
        #expect(try await bench.devices(of: ada).map(\.deviceId) == [device])
        #expect(try await bench.devices(of: bob).isEmpty)
        #expect(try await bench.register("old", of: bob).moved == false)
        await bench.close()
    }

    @Test("another account's device is reported as not found, as an unknown one is")
    func foreign() async throws {
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        let device = try await bench.register("token", of: ada).deviceId
        let error = await #expect(throws: ServiceError.self) {
            _ = try await bench.pushDevices.update(
                .init(accountId: bob.text, deviceId: device, token: "x"), bench.context())
        }
        #expect(error?.code == .notFound)
        let dropped = try await bench.pushDevices.unregister(
            .init(accountId: bob.text, deviceId: device), bench.context())
        #expect(dropped.dropped == 0)
        #expect(try await bench.devices(of: ada).count == 1)
        await bench.close()
    }

    @Test("G-09, N-04: a session can remove its devices; revoking removes all of the account")
    func dropped() async throws {
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        let session = try #require(SessionID(key: 9)).text
        try await bench.register("a", of: ada, session: session)
        try await bench.register("b", of: ada)
        try await bench.register("c", of: bob, session: session)
        for wanted: UInt32 in [1, 0] {
            let answer = try await bench.pushDevices.unregister(
                .init(accountId: ada.text, sessionId: session), bench.context())
            #expect(answer.dropped == wanted)
        }
        #expect(try await bench.devices(of: ada).count == 1)
        for wanted: UInt32 in [1, 0] {
            let answer = try await bench.pushDevices.revokeAll(
                .init(accountId: ada.text), bench.context())
            #expect(answer.dropped == wanted)
        }
        #expect(try await bench.devices(of: ada).isEmpty)
        #expect(try await bench.devices(of: bob).count == 1)
        await bench.close()
    }

    @Test(
        "a malformed token, an unknown platform or an app that is not configured is rejected",
        arguments: [
            (NotificationV1.PushPlatform.fcm, "", ""), (.fcm, "a b", ""), (.fcm, "a\r\nb", ""),
            (.fcm, String(repeating: "a", count: 1_025), ""), (.apns, "token", "com.example.app"),
            (.apns, "../../../secret", "com.example.app"), (.apns, "abc", "com.example.app"),
            (.apns, String(repeating: "ab", count: 257), "com.example.app"),
            (.apns, String(repeating: "ab", count: 32), "com.other.app"),
            (.apns, String(repeating: "ab", count: 32), "com.example.app\r\nx: y"),
            (.fcm, "token", "a b"), (.unspecified, "token", ""), (.unrecognized(9), "token", ""),
        ])
    func refused(
        _ platform: NotificationV1.PushPlatform, _ token: String, _ app: String
    ) async throws {
        let bench = try SMSAndPushFixture(
            in: try TemporaryFolder(), ["push-apns-topics": "com.example.app"])
        let error = await #expect(throws: ServiceError.self) {
            try await bench.register(
                token, of: try SMSAndPushFixture.account(1), on: platform, app: app)
        }
        #expect(error?.code == .invalidArgument)
        await bench.close()
    }

    @Test("A-02: forgetting an account removes its devices and no other account's")
    func forgotten() async throws {
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        let (ada, bob) = (try SMSAndPushFixture.account(1), try SMSAndPushFixture.account(2))
        try await bench.register("a", of: ada)
        try await bench.register("b", of: bob)
        let outbox = OutboxHandler(
            store: bench.store, keys: bench.keys, delivery: bench.delivery, time: bench.time)
        _ = try await outbox.forgetAccount(
            .init(accountId: ada.text), bench.context(application: "identity"))
        #expect(try await bench.devices(of: ada).isEmpty)
        #expect(try await bench.devices(of: bob).count == 1)
        await bench.close()
    }

    @Test("an APNs token in upper or lower case is the same device")
    func cases() async throws {
        let bench = try SMSAndPushFixture(in: try TemporaryFolder())
        let ada = try SMSAndPushFixture.account(1)
        let first = try await bench.register(
            String(repeating: "ab", count: 32), of: ada, on: .apns)
        let second = try await bench.register(
            String(repeating: "AB", count: 32), of: ada, on: .apns)
        #expect(first.deviceId == second.deviceId)
        await bench.close()
    }
}
