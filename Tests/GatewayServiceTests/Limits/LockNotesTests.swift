import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import GatewayService

@Suite("D0: identity's trail says when guesses have locked an account", .timeLimit(.minutes(1)))
struct LockNotesTests {
    let fixture: GatewayFixture

    init() async throws {
        fixture = try await GatewayFixture()
    }

    private func guess(_ email: String, device: String = "d1") async throws {
        _ = try await refusal {
            try await fixture.signIn(email, password: "Wrong8Horses", device: device)
        }
    }

    private func locks(_ condition: String) async throws -> Int64 {
        try await fixture.inner.count(
            fixture.inner.identityStore, "audit",
            where: "kind = 'account.locked' AND \(condition)")
    }

    @Test("R-03: the first refusal of a wait is recorded for the account, and no further one")
    func locked() async throws {
        _ = try await fixture.signUp()
        for number in 0..<5 { try await guess("ada@example.org", device: "d\(number)") }
        #expect(try await locks("true") == 0)
        for number in 5..<9 { try await guess("ADA@example.org", device: "d\(number)") }
        let wanted = """
            account IS NOT NULL AND subject IS NOT NULL AND client_address IS NOT NULL
            AND detail = 'failed-sign-in-by-account' AND outcome = 'auth/too-many-requests'
            AND attempt BETWEEN 1 AND 900
            """
        #expect(try await eventually { try await locks(wanted) == 1 })
        for number in 9..<12 { try await guess("ada@example.org", device: "d\(number)") }
        #expect(try await locks("true") == 1)
    }

    @Test("X-02: an address without an account is counted")
    func unknown() async throws {
        for number in 0..<6 { try await guess("nobody@example.org", device: "d\(number)") }
        let isCounted = try await eventually {
            try await fixture.inner.count(
                fixture.inner.identityStore, "refusal_count",
                where: "kind = 'account.locked' AND refusals = 1") == 1
        }
        #expect(isCounted)
        #expect(try await locks("true") == 0)
    }

    @Test("a limit that is not about one account is not reported")
    func others() async throws {
        for number in 1...6 { try await guess("user\(number)@example.org") }
        #expect(
            try await fixture.inner.count(
                fixture.inner.identityStore, "refusal_count", where: "kind = 'account.locked'")
                == 0)
    }

    @Test("X-02: reports are bounded, no answer waits for them, and one ends by itself")
    func bounded() async throws {
        let signals = HeldSignals()
        let time = ManualTime()
        let notes = LockNotes(
            signals: signals, time: time, randomness: SeededRandomness(),
            logger: CapturedLog().logger(time: time))
        let decision = RateLimitV1.Decision(
            limited: true, limit: "phone-code-guess", retryAfterMs: .max, firstRefusal: true)
        let context = CallContext(deadline: time.uptime() + .seconds(10))
        func note(_ count: Int) {
            for number in 0..<count {
                notes.note(decision, of: .phoneNumber("+4915100\(number)"), context)
            }
        }
        note(LockNotes.underWayMax + 10)
        #expect(try await eventually { signals.requests.count == LockNotes.underWayMax })
        note(3)
        #expect(signals.requests.count == LockNotes.underWayMax)
        let longest = time.now() + .seconds(30 * 86_400)
        #expect(signals.requests.allSatisfy { $0.untilMs == longest.milliseconds })
        signals.release()
        let goesOn = try await eventually {
            note(1)
            return signals.requests.count > LockNotes.underWayMax
        }
        #expect(goesOn)
    }
}

/// An identity service that answers when it is let.
private final class HeldSignals: SignInSignalsAPI {
    private struct State {
        var requests: [IdentityV1.NoteLockRequest] = []
        var isReleased = false
    }

    private let state = Mutex(State())

    var requests: [IdentityV1.NoteLockRequest] { state.withLock { $0.requests } }

    func release() { state.withLock { $0.isReleased = true } }

    func noteLock(
        _ request: IdentityV1.NoteLockRequest, _ context: CallContext
    ) async throws -> IdentityV1.NoteLockResponse {
        state.withLock { $0.requests.append(request) }
        while !state.withLock({ $0.isReleased }) { try await Task.sleep(for: .milliseconds(1)) }
        return IdentityV1.NoteLockResponse()
    }
}
