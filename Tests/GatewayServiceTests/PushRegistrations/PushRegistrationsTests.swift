import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService

@Suite("N-04: apps register devices for push messages", .timeLimit(.minutes(1)))
struct PushRegistrationsTests {
    private let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture() }

    private func context(_ session: GatewayV1.Session, _ key: String? = nil) -> CallContext {
        fixture.context(key).bearing(session.accessToken)
    }

    @discardableResult
    private func register(
        _ token: String, in session: GatewayV1.Session, key: String? = nil
    ) async throws -> GatewayV1.PushRegistration {
        let answer = try await fixture.pushRegistrations.registerPushDevice(
            .init(platform: .fcm, token: token, app: "com.example.app"), context(session, key))
        return try #require(answer.pushDevice)
    }

    private func list(
        _ session: GatewayV1.Session
    ) async throws -> [GatewayV1.PushRegistration] {
        try await fixture.pushRegistrations.listPushDevices(.init(), context(session)).pushDevices
    }

    private func stored() async throws -> Int64 {
        try await fixture.inner.count(fixture.inner.notificationStore, "push_device")
    }

    @Test("a device is registered with the session of the call, and listed in all of the account's")
    func registered() async throws {
        let ada = try await fixture.signUp()
        let device = try await register("token-of-ada", in: ada.session)
        #expect(device.platform == .fcm && device.app == "com.example.app")
        #expect(device.seenAtMs == fixture.time.now().milliseconds && device.isCurrentSession)
        let other = try await fixture.signIn(device: "d2")
        let listed = try await list(other.session)
        #expect(listed.map(\.pushDeviceId) == [device.pushDeviceId])
        #expect(!listed[0].isCurrentSession)
        #expect(try await list(ada.session) == [device])
        let eve = try await fixture.signUp("eve@example.org")
        #expect(try await list(eve.session).isEmpty)
    }

    @Test("registering again keeps the device, and another account takes it over")
    func again() async throws {
        let ada = try await fixture.signUp()
        let first = try await register("token", in: ada.session)
        fixture.time.advance(by: .seconds(60))
        let second = try await register("token", in: ada.session)
        #expect(second.pushDeviceId == first.pushDeviceId && second.seenAtMs > first.seenAtMs)
        let eve = try await fixture.signUp("eve@example.org")
        let eves = try await register("token", in: eve.session)
        #expect(eves.pushDeviceId != first.pushDeviceId)
        #expect(try await list(ada.session).isEmpty)
        #expect(try await stored() == 1)
    }

    @Test("G-07: a guest registers, replaces, lists and removes")
    func guest() async throws {
        let answer = try await fixture.guests.signInAsGuest(
            .init(device: GatewayFixture.device("d1")), fixture.context())
        let session = try #require(answer.session)
        let device = try await register("token", in: session)
        let replaced = try await fixture.pushRegistrations.replacePushToken(
            .init(pushDeviceId: device.pushDeviceId, token: "next"), context(session))
        #expect(replaced.pushDevice == device)
        #expect(try await list(session) == [device])
        for wanted in [true, false] {
            let removed = try await fixture.pushRegistrations.removePushDevice(
                .init(pushDeviceId: device.pushDeviceId), context(session))
            #expect(removed.removed == wanted)
        }
        #expect(try await list(session).isEmpty)
    }

    @Test(
        "a malformed token, an unknown platform or app is rpc/invalid-argument with the field",
        arguments: [
            (GatewayV1.PushPlatform.fcm, "", "", "token"), (.fcm, "a b", "", "token"),
            (.fcm, String(repeating: "a", count: 1_025), "", "token"),
            (.apns, "not hexadecimal", "", "token"), (.fcm, "token", "a b", "app"),
            (.unspecified, "token", "", "platform"), (.unrecognized(9), "token", "", "platform"),
        ])
    func malformed(
        _ platform: GatewayV1.PushPlatform, _ token: String, _ app: String, _ field: String
    ) async throws {
        let ada = try await fixture.signUp()
        try await register("good", in: ada.session)
        let error = try await refusal {
            try await fixture.pushRegistrations.registerPushDevice(
                .init(platform: platform, token: token, app: app), context(ada.session))
        }
        #expect(error.code == .invalidArgument && error.fields == [field])
        try await fixture.inner.settle()
        #expect(try await stored() == 1, "what the session had stays")
    }

    @Test("a token that is malformed, or an id that is none, is refused when it is replaced")
    func malformedReplacement() async throws {
        let ada = try await fixture.signUp()
        let device = try await register("token", in: ada.session)
        for (id, token, field) in [
            (device.pushDeviceId, "a b", "token"), ("dev_", "next", "push_device_id"),
            ("", "next", "push_device_id"),
        ] {
            let error = try await refusal {
                try await fixture.pushRegistrations.replacePushToken(
                    .init(pushDeviceId: id, token: token), context(ada.session))
            }
            #expect(error.code == .invalidArgument && error.fields == [field])
        }
        let error = try await refusal {
            try await fixture.pushRegistrations.removePushDevice(
                .init(pushDeviceId: "dev_"), context(ada.session))
        }
        #expect(error.code == .invalidArgument && error.fields == ["push_device_id"])
    }

    /// Attack: a thief's session gives the owner's device a token of its own, or turns its messages
    /// off without a word.
    @Test("another session's device is neither replaced nor removed, nor another account's")
    func others() async throws {
        let ada = try await fixture.signUp()
        let device = try await register("token", in: ada.session)
        let thief = try await fixture.signIn(device: "d2")
        let eve = try await fixture.signUp("eve@example.org")
        for session in [thief.session, eve.session] {
            let error = try await refusal {
                try await fixture.pushRegistrations.replacePushToken(
                    .init(pushDeviceId: device.pushDeviceId, token: "mine"), context(session))
            }
            #expect(error.code == .notFound && error.fields == ["push_device_id"])
            let removed = try await fixture.pushRegistrations.removePushDevice(
                .init(pushDeviceId: device.pushDeviceId), context(session))
            #expect(!removed.removed)
        }
        #expect(try await list(ada.session) == [device])
    }

    /// Attack: a thief's session registers invented tokens, until the owner's device has no place.
    @Test("a session has 4 devices at most, so it pushes no other session's out")
    func invented() async throws {
        let ada = try await fixture.signUp()
        let device = try await register("token", in: ada.session)
        let thief = try await fixture.signIn(device: "d2")
        for number in 0..<25 {
            fixture.time.advance(by: .seconds(1))
            try await register("invented-\(number)", in: thief.session)
        }
        let listed = try await list(ada.session)
        #expect(listed.count == 5 && listed.contains(device))
    }

    @Test("G-25: a repeat, with the same key or without one, has the same answer and adds nothing")
    func repeated() async throws {
        let ada = try await fixture.signUp()
        let first = try await register("token", in: ada.session, key: "k")
        for key in ["k", nil] {
            #expect(try await register("token", in: ada.session, key: key) == first)
        }
        for _ in 0..<2 {
            let replaced = try await fixture.pushRegistrations.replacePushToken(
                .init(pushDeviceId: first.pushDeviceId, token: "next"), context(ada.session, "r"))
            #expect(replaced.pushDevice == first)
        }
        #expect(try await stored() == 1)
        #expect(try fixture.inner.left("push-device-by-account", ada.account.accountId) == 25)
    }

    @Test("R-03: after 30 in an hour an account registers no more; what it has stays and can go")
    func limited() async throws {
        let ada = try await fixture.signUp()
        for number in 0..<30 { try await register("token-\(number)", in: ada.session) }
        let error = try await refusal { try await register("one more", in: ada.session) }
        #expect(error.code == .tooManyRequests && error.retryAfter != nil)
        let listed = try await list(ada.session)
        let removed = try await fixture.pushRegistrations.removePushDevice(
            .init(pushDeviceId: listed[0].pushDeviceId), context(ada.session))
        #expect(removed.removed)
        let eve = try await fixture.signUp("eve@example.org")
        try await register("token", in: eve.session)
    }

    @Test("without a session, or for an account that may not be used, nothing is registered")
    func refused() async throws {
        let ada = try await fixture.signUp()
        let without = try await refusal {
            try await fixture.pushRegistrations.registerPushDevice(
                .init(platform: .fcm, token: "token"), fixture.context())
        }
        #expect(without.code == .invalidAccessToken)
        try await fixture.inner.setStatus(2)
        let suspended = try await refusal { try await register("token", in: ada.session) }
        #expect(suspended.code == .accountDisabled)
        #expect(try await stored() == 0)
    }
}
