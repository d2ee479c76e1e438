import CoreMetrics
import Logging
import ServiceRuntime
import Synchronization

/// Guards one provider (a mail server, an SMS provider, FCM, APNs) with a circuit breaker and a
/// rate limit. Its name identifies it in log and metrics (N-03).
///
/// A route calls `enter`, then the provider, then `leave` with the outcome. `readiness` lets the
/// worker claim no more messages than may pass, so that an open breaker costs nothing.
final class ProviderGuard: Sendable {
    /// The answer to `enter`.
    enum Entry: Sendable {
        /// The call may be made. Its end must be reported to `leave` with this value.
        case pass(Pass)
        /// No call before this time, because of `DeliveryReason.breakerOpen` or `rate`.
        case closed(String, until: Timestamp)
    }

    /// Given to one call and returned at its end.
    struct Pass: Sendable {
        fileprivate let permission: CircuitBreaker.Permission
    }

    /// The provider's name: "smtp mail.example.org", "fcm".
    let name: String
    private let time: any Time
    private let logger: Logger
    private let openings: Counter
    private let openGauge: Gauge
    private let state: Mutex<State>

    private struct State {
        var breaker = CircuitBreaker()
        var limiter: ProviderRateLimiter
    }

    /// A guard with a closed breaker and an unused rate.
    /// - Parameter rate: calls per second; nil for no limit.
    init(name: String, rate: Double?, time: any Time, logger: Logger) {
        self.name = name
        self.time = time
        self.logger = logger
        openings = Counter(label: "provider_breaker_openings", dimensions: [("provider", name)])
        openGauge = Gauge(label: "provider_breaker_open", dimensions: [("provider", name)])
        openGauge.record(0)
        state = Mutex(State(limiter: ProviderRateLimiter(rate: rate)))
    }

    /// Admits or rejects a call.
    func enter() -> Entry {
        let uptime = time.uptime()
        return state.withLock { state in
            if case .barred(let until) = state.breaker.permission(at: uptime) {
                return .closed(DeliveryReason.breakerOpen.rawValue, until: moment(until, uptime))
            }
            if let until = state.limiter.take(at: uptime) {
                return .closed(DeliveryReason.rate.rawValue, until: moment(until, uptime))
            }
            return .pass(Pass(permission: state.breaker.admit(at: uptime)))
        }
    }

    /// A call that was admitted has ended. `answered` for whatever the provider said about the
    /// message; `failed` if the provider could not be reached, timed out, or reported a failure of
    /// its own.
    /// - Parameter failure: why the provider failed, for the log, where no other line names the
    ///   provider: one of several mail servers. Few such lines, since an open breaker ends them.
    func leave(_ pass: Pass, _ outcome: CircuitBreaker.Outcome, failure: String? = nil) {
        let uptime = time.uptime()
        if let failure {
            logger.warning(
                "notification.provider.failed", "a provider failed",
                fields: [.peer: .text(name), .reason: .text(failure)])
        }
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

    /// How many calls would be admitted now.
    var readiness: RouteReadiness {
        let uptime = time.uptime()
        return state.withLock { state in
            switch state.breaker.permission(at: uptime) {
            case .barred(let until): return .closed(until: moment(until, uptime))
            case .probe: return .ready(1)
            case .pass: break
            }
            let available = state.limiter.available(at: uptime)
            if available > 0 { return .ready(available) }
            return .closed(until: moment(state.limiter.next(at: uptime), uptime))
        }
    }

    /// The wall-clock time at which the uptime will be `until`, rounded up. It is at least one
    /// millisecond ahead, because a wait of zero would busy-loop.
    private func moment(_ until: Duration, _ uptime: Duration) -> Timestamp {
        time.now() + max(until - uptime + .microseconds(999), .milliseconds(1))
    }
}
