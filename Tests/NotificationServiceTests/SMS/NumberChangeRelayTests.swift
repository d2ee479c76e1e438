import Contracts
import HTTPSink
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import NotificationService

/// A changed phone number is reported to identity, as soon as identity is available (A-06).
@Suite(.timeLimit(.minutes(1)))
struct NumberChangeRelayTests {
    /// A fixture with one message sent, whose provider reports that the number has changed.
    private func fixture() async throws -> SMSAndPushFixture {
        let sink = try await HTTPSink { _ in .answer(200, body: #"{"number_changed":true}"#) }
        let fixture = try SMSAndPushFixture(
            in: try TemporaryFolder(),
            [
                "provider-plaintext": "true", "sms-providers": "webhook",
                "sms-webhook-url": sink.url("/sms"),
                "sms-webhook-secret": String(repeating: "s", count: 32),
            ])
        let order = SMSOrder(
            recipient: "+4915112345678", templateName: "phone-code", lane: .security,
            language: "en",
            variables: [
                OrderPair(name: "code", value: "123456"), OrderPair(name: "minutes", value: "5"),
            ], expiresAt: nil, account: nil)
        #expect(try await fixture.attempt(.sms(order)) == .taken)
        await sink.close()
        return fixture
    }

    private func relay(_ fixture: SMSAndPushFixture, _ identity: RecordingIdentity)
        -> NumberChangeRelay
    {
        NumberChangeRelay(
            store: fixture.store, keys: fixture.keys, identity: identity, time: fixture.time,
            randomness: SeededRandomness(), logger: CapturedLog().logger(time: fixture.time))
    }

    /// Runs a relay until the outbox is empty.
    private func run(_ fixture: SMSAndPushFixture, _ identity: RecordingIdentity) async throws {
        let relay = relay(fixture, identity)
        try await withThrowingTaskGroup { group in
            group.addTask { try await relay.run() }
            while try await fixture.store.read({ try $0.outboxCount() }) > 0 {
                fixture.time.advance(by: .milliseconds(100))
                await Task.yield()
            }
            group.cancelAll()
        }
    }

    @Test("A-06: identity gets a changed number, which is encrypted in the outbox until then")
    func notifies() async throws {
        let fixture = try await fixture()
        let waiting = try await fixture.ask("SELECT payload FROM outbox")
        guard case .blob(let payload) = try #require(waiting.first) else {
            Issue.record("no payload")
            return
        }
        #expect(!String(decoding: payload, as: UTF8.self).contains("15112345678"))
        let identity = RecordingIdentity()
        try await run(fixture, identity)
        #expect(identity.requests.map(\.phoneNumber) == ["+4915112345678"])
        await fixture.close()
    }

    @Test("A-06: the report is retried until identity accepts it")
    func retries() async throws {
        let fixture = try await fixture()
        let identity = RecordingIdentity(failing: [.unavailable, .deadlineExceeded, .internalError])
        try await run(fixture, identity)
        #expect(identity.requests.count == 1)
        await fixture.close()
    }

    @Test("A-06: a report that identity rejects for good, or that is a month old, is dropped")
    func givesUp() async throws {
        let refused = try await fixture()
        let refusing = RecordingIdentity(failing: [.invalidPhoneNumber])
        try await run(refused, refusing)
        #expect(refusing.requests.isEmpty)
        await refused.close()
        let old = try await fixture()
        old.time.advance(by: .seconds(30 * 86_400))
        let identity = RecordingIdentity()
        try await run(old, identity)
        #expect(identity.requests.isEmpty)
        await old.close()
    }
}

/// An identity service that records the reports it gets.
private final class RecordingIdentity: PhoneSignalsAPI {
    private struct State {
        var requests: [IdentityV1.NumberChangedRequest] = []
        var failures: [ErrorCode]
    }

    private let state: Mutex<State>

    init(failing failures: [ErrorCode] = []) {
        state = Mutex(State(failures: failures))
    }

    var requests: [IdentityV1.NumberChangedRequest] { state.withLock { $0.requests } }

    func numberChanged(
        _ request: IdentityV1.NumberChangedRequest, _ context: CallContext
    ) async throws -> IdentityV1.NumberChangedResponse {
        try state.withLock { state in
            if !state.failures.isEmpty { throw ServiceError(state.failures.removeFirst()) }
            state.requests.append(request)
            return .init()
        }
    }
}
