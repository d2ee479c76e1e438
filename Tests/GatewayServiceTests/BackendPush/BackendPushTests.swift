import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import NotificationService

@Suite("N-02: push messages of a backend to an account's devices", .timeLimit(.minutes(1)))
struct BackendPushTests {
    private static let limit = "push-by-account"
    private static let message = GatewayV1.SendPushMessageRequest(
        title: "Your order", data: [.init(key: "order", value: "7")])
    private static let parts: [[UInt8]] = [
        [1] + Array("Your order".utf8), [0],
        [1] + Array(#"[{"key":"order","value":"7"}]"#.utf8), [0], [0],
    ]

    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    private var account: String { ada.account.accountId }

    /// Signs the message.
    /// - Parameter key: the idempotency key of the token.
    private func signed(
        key: String = "k", on account: String? = nil
    ) throws -> GatewayV1.SendPushMessageRequest {
        var request = Self.message
        request.call = try fixture.inner.backend.call(
            on: account ?? self.account, BackendPushDescription.sendPushMessage, "postern push v1",
            Self.parts, idempotencyKey: key, at: fixture.time.now())
        return request
    }

    /// Sends a request.
    /// - Parameter key: the idempotency key of the call.
    private func send(
        _ request: GatewayV1.SendPushMessageRequest, key: String = "k"
    ) async throws -> [String] {
        try await fixture.backendPush.sendPushMessage(
            request, fixture.context(key, application: BackendSigner.application)
        ).messageIds
    }

    /// Registers a device of the account.
    /// - Returns: its id.
    private func register(_ token: String) async throws -> String {
        try await fixture.inner.notification.pushDevices.register(
            .init(accountId: account, platform: .fcm, token: token), fixture.context()
        ).deviceId
    }

    private var left: UInt32 { get throws { try fixture.inner.left(Self.limit, account) } }

    @Test("N-02: each device gets the message; without a provider it is in the inbox")
    func way() async throws {
        for token in ["a", "b"] { _ = try await register(token) }
        let ids = try await send(try signed())
        #expect(ids.count == 2 && ids.allSatisfy { $0.hasPrefix("msg_") })
        let shown = try await fixture.inner.mails(to: account)
        #expect(shown.count == 2)
        #expect(shown.allSatisfy { $0.text.contains("Your order") && $0.text.contains("order=7") })
    }

    @Test("N-02: a device that is gone gets nothing, and an account without one has no messages")
    func deviceGone() async throws {
        #expect(try await send(try signed(key: "1"), key: "1") == [])
        let device = try await register("a")
        #expect(try await send(try signed(key: "2"), key: "2").count == 1)
        _ = try await fixture.inner.notification.pushDevices.unregister(
            .init(accountId: account, deviceId: device), fixture.context())
        #expect(try await send(try signed(key: "3"), key: "3") == [])
        // A repeat does not reach a device that was registered since.
        _ = try await register("b")
        #expect(try await send(try signed(key: "1"), key: "1") == [])
    }

    @Test("N-02: an account gets 60 push messages of backends an hour, and its own notices besides")
    func limited() async throws {
        for number in 1...60 {
            _ = try await send(try signed(key: "\(number)"), key: "\(number)")
        }
        let error = try await refusal { try await send(try signed(key: "61"), key: "61") }
        #expect(error.code == .tooManyRequests && error.retryAfter != nil)
        // What it has sent is repeated, and another account's count is its own.
        let eve = try await fixture.signUp("eve@example.org")
        #expect(
            try await send(try signed(key: "e", on: eve.account.accountId), key: "e") == [])
        fixture.time.advance(by: .seconds(3_601))
        #expect(try await send(try signed(key: "61"), key: "61") == [])
    }

    @Test("R-03: a repeat with the same token is charged once")
    func repeated() async throws {
        let request = try signed()
        for _ in 0..<3 { #expect(try await send(request) == []) }
        #expect(try left == 59)
    }

    /// Attack: a backend has one key in its calls and another in each token.
    @Test("R-03: calls under one key with the tokens of several are charged each")
    func oneKey() async throws {
        for number in 1...3 { _ = try await send(try signed(key: "\(number)"), key: "same") }
        #expect(try left == 57)
        #expect(
            try await fixture.inner.count(
                fixture.inner.identityStore, "audit", where: "kind = 'push.sent-by-backend'") == 3)
    }

    @Test("R-03: a call that identity refuses fills no limit")
    func refused() async throws {
        var other = try signed()
        other.title = "Your parcel"
        let altered = other
        let error = try await refusal { try await send(altered) }
        #expect(error.code == .unauthenticated && error.fields == ["call.application_token"])
        let unknown = try await refusal {
            try await send(try signed(on: "acc_0000000000001"))
        }
        #expect(unknown.code == .notFound && unknown.fields == ["call.account_id"])
        let none = try await refusal { try await send(Self.message) }
        #expect(none.code == .invalidArgument && none.fields == ["call"])
        let malformed = try await refusal { try await send(try signed(on: "ada")) }
        #expect(malformed.code == .invalidArgument && malformed.fields == ["call.account_id"])
        #expect(try left == 60)
    }

    @Test("R-07: without the rate limiter the message is sent")
    func withoutLimiter() async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits())
        let ada = try await fixture.signUp()
        var request = Self.message
        request.call = try fixture.inner.backend.call(
            on: ada.account.accountId, BackendPushDescription.sendPushMessage, "postern push v1",
            Self.parts, idempotencyKey: "k", at: fixture.time.now())
        let answer = try await fixture.backendPush.sendPushMessage(
            request, fixture.context("k", application: BackendSigner.application))
        #expect(answer.messageIds == [])
    }
}
