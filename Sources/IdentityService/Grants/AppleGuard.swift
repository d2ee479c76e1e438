import Logging
import ServiceRuntime
import Synchronization

/// Holds calls to Apple back: a few at a time, and none for a while where it fails.
///
/// Attack or accident it stops: codes are exchanged behind sign-ins, in the outbox's queue that also
/// carries warnings. An Apple that takes requests and answers none would fill its slots with waiting
/// calls, and no warning would leave.
final class AppleGuard: Sendable {
    /// Calls at a time: half of the queue's slots (`OutboxQueue.standard`). At 150 ms a call
    /// that is some fifty codes a second, each good for five minutes.
    static let callsMax = 8
    /// What a call that is held back is told to wait, where nothing else says.
    private static let busyWait: Duration = .seconds(1)

    private struct State {
        var breaker = CircuitBreaker()
        var calls = 0
    }

    private let time: any Time
    private let logger: Logger
    private let state = Mutex(State())

    init(time: any Time, logger: Logger) {
        self.time = time
        self.logger = logger
    }

    /// Runs a call.
    /// - Throws: `auth/provider-unavailable` where it may not run now.
    func run<Value: Sendable>(
        _ call: () async throws -> (value: Value, outcome: CircuitBreaker.Outcome)
    ) async throws -> Value {
        let permission = try enter()
        do {
            let (value, outcome) = try await call()
            leave(permission, outcome)
            return value
        } catch {
            leave(permission, .abandoned)
            throw error
        }
    }

    private func enter() throws -> CircuitBreaker.Permission {
        let uptime = time.uptime()
        return try state.withLock { state in
            guard state.calls < Self.callsMax else {
                throw ServiceError(
                    .providerUnavailable, retryAfter: Self.busyWait, detail: "apple-busy")
            }
            let permission = state.breaker.admit(at: uptime)
            if case .barred(let until) = permission {
                throw ServiceError(
                    .providerUnavailable, retryAfter: until - uptime, detail: "apple-breaker-open")
            }
            state.calls += 1
            return permission
        }
    }

    private func leave(_ permission: CircuitBreaker.Permission, _ outcome: CircuitBreaker.Outcome) {
        let uptime = time.uptime()
        let change = state.withLock { state in
            state.calls -= 1
            return state.breaker.ended(permission, outcome, at: uptime)
        }
        switch change {
        case .opened(let wait):
            logger.warning(
                "identity.provider.circuit.open", "circuit breaker open: a provider fails",
                fields: [.peer: .text("apple"), .milliseconds: .integer(wait.milliseconds)])
        case .closed:
            logger.warning(
                "identity.provider.circuit.closed",
                "circuit breaker closed: a provider works again", fields: [.peer: .text("apple")])
        case nil: break
        }
    }
}
