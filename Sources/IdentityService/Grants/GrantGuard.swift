import Contracts
import Logging
import ServiceRuntime
import Synchronization

/// Limits calls to one provider: a few concurrent calls, and none while the circuit breaker is
/// open.
///
/// Attack or accident it stops: codes are exchanged after sign-ins, by the outbox queue that also
/// carries warning mails. If a provider accepts requests and does not respond, waiting calls would
/// occupy all delivery slots, and no warning could be sent.
final class GrantGuard: Sendable {
    /// Maximum concurrent calls to a provider. Both providers together have half of the queue's
    /// slots (`OutboxQueue.standard`). At 150 ms a call that is some 25 codes a second, each valid
    /// for five minutes.
    static let callsMax = 4
    /// The retry delay of a call that exceeds `callsMax`.
    private static let busyWait: Duration = .seconds(1)

    private struct State {
        var breaker = CircuitBreaker()
        var calls = 0
    }

    private let provider: String
    private let time: any Time
    private let logger: Logger
    private let state = Mutex(State())

    init(_ provider: BuiltInProvider, time: any Time, logger: Logger) {
        self.provider = provider.rawValue
        self.time = time
        self.logger = logger
    }

    /// Runs a call.
    /// - Throws: `auth/provider-unavailable` with a retry delay if too many calls are running or
    ///   the circuit breaker is open.
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
                    .providerUnavailable, retryAfter: Self.busyWait, detail: "\(provider)-busy")
            }
            let permission = state.breaker.admit(at: uptime)
            if case .barred(let until) = permission {
                throw ServiceError(
                    .providerUnavailable, retryAfter: until - uptime,
                    detail: "\(provider)-breaker-open")
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
                fields: [.peer: .text(provider), .milliseconds: .integer(wait.milliseconds)])
        case .closed:
            logger.warning(
                "identity.provider.circuit.closed",
                "circuit breaker closed: a provider works again", fields: [.peer: .text(provider)])
        case nil: break
        }
    }
}
