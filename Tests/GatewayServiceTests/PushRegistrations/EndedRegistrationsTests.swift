import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService
@testable import NotificationService

@Suite("G-09, N-04: no device of an ended session is left", .timeLimit(.minutes(10)))
struct EndedRegistrationsTests {
    private let fixture: GatewayFixture
    private var inner: InnerServices { fixture.inner }

    init() async throws { fixture = try await GatewayFixture() }

    private func register(_ token: String, in session: GatewayV1.Session) async throws {
        _ = try await fixture.pushRegistrations.registerPushDevice(
            .init(platform: .fcm, token: token), fixture.context().bearing(session.accessToken))
    }

    private func stored() async throws -> Int64 {
        try await inner.count(inner.notificationStore, "push_device")
    }

    /// Ends a session, and has notification read the end.
    private func endAndRead(_ session: GatewayV1.Session) -> PushDevicesForIdentity.Step {
        { [fixture] in
            _ = try await fixture.signOut(.accessToken(session.accessToken))
            while try await fixture.inner.endedDevices.follow() {}
        }
    }

    @Test("sign-out of one session removes its device, sign-out of all removes all")
    func signedOut() async throws {
        let ada = try await fixture.signUp()
        let other = try await fixture.signIn(device: "d2")
        let third = try await fixture.signIn(device: "d3")
        for (token, session) in [("1", ada), ("2", other), ("3", third)] {
            try await register(token, in: session.session)
        }
        try await endAndRead(ada.session)()
        #expect(try await stored() == 2)
        _ = try await fixture.signOut(.accessToken(other.session.accessToken), all: true)
        while try await inner.endedDevices.follow() {}
        #expect(try await stored() == 0)
    }

    @Test("a session that ends before its device is stored, and whose end was read, leaves none")
    func betweenCheckAndCommit() async throws {
        let ada = try await fixture.signUp()
        let kept = try await fixture.signIn(device: "d2")
        // So that the feed is followed.
        try await register("kept", in: kept.session)
        inner.pushDevices.aroundNext(before: endAndRead(ada.session))
        let error = try await refusal { try await register("late", in: ada.session) }
        #expect(error.code == .sessionEnded)
        try await inner.settle()
        #expect(try await stored() == 1, "the other session's stays")
    }

    @Test("the same where the caller is gone before the answer")
    func cancelled() async throws {
        let ada = try await fixture.signUp()
        let reached = AsyncStream<Void>.makeStream()
        let goesOn = AsyncStream<Void>.makeStream()
        let end = endAndRead(ada.session)
        inner.pushDevices.aroundNext(
            before: end,
            after: {
                reached.continuation.finish()
                for await _ in goesOn.stream {}
            })
        let call = Task { try await register("late", in: ada.session) }
        for await _ in reached.stream {}
        #expect(try await stored() == 1)
        call.cancel()
        goesOn.continuation.finish()
        // What it throws does not matter: nobody waits for it.
        _ = await call.result
        #expect(
            try await eventually {
                try await inner.settle()
                return try await stored() == 0
            })
    }

    @Test("the same where notification's answer is lost; a live session keeps what it registered")
    func lostAnswer() async throws {
        let ada = try await fixture.signUp()
        let lost: PushDevicesForIdentity.Step = { throw ServiceError(.unavailable) }
        inner.pushDevices.aroundNext(after: lost)
        #expect(
            try await refusal { try await register("kept", in: ada.session) }.code == .unavailable)
        try await inner.settle()
        #expect(try await stored() == 1)
        let other = try await fixture.signIn(device: "d2")
        inner.pushDevices.aroundNext(before: endAndRead(other.session), after: lost)
        #expect(
            try await refusal { try await register("late", in: other.session) }.code
                == .sessionEnded)
        try await inner.settle()
        #expect(try await stored() == 1)
    }

    @Test("an end that is written after the device is stored finds it")
    func afterwards() async throws {
        let ada = try await fixture.signUp()
        inner.pushDevices.aroundNext(after: endAndRead(ada.session))
        let error = try await refusal { try await register("token", in: ada.session) }
        #expect(error.code == .sessionEnded)
        #expect(try await stored() == 0)
    }

    /// Some hundreds; 10,000 with `POSTERN_SOAK_ROUNDS`.
    @Test("registrations that race with the ends of their sessions leave no device after 2 s")
    func race() async throws {
        let count = SoakRounds.isLong ? 10_000 : 300
        var sessions: [GatewayV1.Session] = []
        for number in 0..<count {
            let answer = try await fixture.guests.signInAsGuest(
                .init(device: GatewayFixture.device("d\(number)")),
                fixture.context(address: "198.18.\(number / 250).\(number % 250 + 1)"))
            sessions.append(try #require(answer.session))
        }
        let reader = Task { [inner] in
            while !Task.isCancelled {
                _ = try await inner.endedDevices.follow()
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, session) in sessions.enumerated() {
                if number >= 32 { _ = try await group.next() }
                group.addTask { [fixture] in
                    async let end = fixture.signOut(.accessToken(session.accessToken))
                    do {
                        try await register("token-\(number)", in: session)
                    } catch let error as ServiceError {
                        #expect(error.code == .sessionEnded)
                    }
                    _ = try await end
                }
            }
            try await group.waitForAll()
        }
        reader.cancel()
        _ = await reader.result
        try await inner.settle()
        #expect(
            try await eventually(within: .seconds(2)) {
                _ = try await inner.endedDevices.follow()
                return try await stored() == 0
            })
    }

    @Test("X-04: a takeover removes the devices of the account's former holder")
    func takenOver() async throws {
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let stranger = try await gateway.signUp()
            _ = try await gateway.pushRegistrations.registerPushDevice(
                .init(platform: .fcm, token: "stranger's"),
                gateway.context().bearing(stranger.session.accessToken))
            gateway.time.advance(by: .seconds(1))
            _ = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: "ada@example.org"))
            try await gateway.inner.settle()
            #expect(
                try await gateway.inner.count(gateway.inner.notificationStore, "push_device") == 0)
        }
    }
}
