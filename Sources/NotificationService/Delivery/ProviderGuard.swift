import CoreMetrics
package import Logging
package import ServiceRuntime
import Synchronization

/// What stands before one provider (a mail server, an SMS provider, FCM, APNs): its circuit breaker
/// and its rate, known by its name in log and metrics (N-03).
///
/// A route asks `enter`, calls the provider, and tells `leave` how that went. `readiness` lets the
/// worker claim no more than may pass, so that an open breaker costs nothing.
package final class ProviderGuard: Sendable {
    /// What a route is told.
    package enum Entry: Sendable {
        /// Go on, and tell `leave` with this.
        case pass(Pass)
        /// Not before this moment; the word says why: "breaker-open", "rate".
        case closed(String, until: Timestamp)
    }

    /// Given to one call, returned at its end.
    package struct Pass: Sendable {
        fileprivate let permission: CircuitBreaker.Permission
    }

    /// What the provider is known by: "smtp mail.example.org", "fcm".
    package let name: String
    private let time: any Time
    private let logger: Logger
    private let openings: Counter
    private let openGauge: Gauge
    private let state: Mutex<State>

    private struct State {
        var breaker = CircuitBreaker()
        var turns: ProviderRateLimiter
    }

    /// A closed breaker and a rate that nothing has been taken from.
    /// - Parameter rate: calls a second; nil for as many as come.
    package init(name: String, rate: Double?, time: any Time, logger: Logger) {
        self.name = name
        self.time = time
        self.logger = logger
        openings = Counter(label: "provider_breaker_openings", dimensions: [("provider", name)])
        openGauge = Gauge(label: "provider_breaker_open", dimensions: [("provider", name)])
        openGauge.record(0)
        state = Mutex(State(turns: ProviderRateLimiter(rate: rate)))
    }

    /// Lets a call pass, or not.
    package func enter() -> Entry {
        let uptime = time.uptime()
        return state.withLock { state in
            if case .barred(let until) = state.breaker.permission(at: uptime) {
                return .closed("breaker-open", until: moment(until, uptime))
            }
            if let until = state.turns.take(at: uptime) {
                return .closed("rate", until: moment(until, uptime))
            }
            return .pass(Pass(permission: state.breaker.admit(at: uptime)))
        }
    }

    /// A call that passed has ended. `answered` for whatever the provider said about the message,
    /// `failed` where it could not be reached, stalled, or spoke of trouble of its own.
    package func leave(_ pass: Pass, _ outcome: CircuitBreaker.Outcome) {
        let uptime = time.uptime()
        let change = state.withLock { $0.breaker.ended(pass.permission, outcome, at: uptime) }
        switch change {
        case .opened(let wait):
            openings.increment()
            openGauge.record(1)
            logger.warning(
                "notification.provider.circuit.open", "circuit breaker open: a provider fails",
                fields: [.peer: .text(name), .milliseconds: .integer(wait.milliseconds)])
        case .closed:
            openGauge.record(0)
            logger.warning(
                "notification.provider.circuit.closed",
                "circuit breaker closed: a provider works again", fields: [.peer: .text(name)])
        case nil: break
        }
    }

    /// How many calls would pass now.
    package var readiness: RouteReadiness {
        let uptime = time.uptime()
        return state.withLock { state in
            switch state.breaker.permission(at: uptime) {
            case .barred(let until): return .closed(until: moment(until, uptime))
            case .probe: return .ready(1)
            case .pass: break
            }
            let room = state.turns.room(at: uptime)
            if room > 0 { return .ready(room) }
            return .closed(until: moment(state.turns.next(at: uptime), uptime))
        }
    }

    /// The wall clock's moment at which the uptime will be `until`, and no earlier than the next
    /// millisecond: a wait of none would turn in circles.
    private func moment(_ until: Duration, _ uptime: Duration) -> Timestamp {
        time.now() + max(until - uptime + .microseconds(999), .milliseconds(1))
    }
}
