package import CoreMetrics
package import Logging
import ServiceRuntime

/// The counters, gauges and log lines of one client about its service's addresses and its own
/// retries.
package struct ClientReports: Sendable {
    private let service: String
    private let metrics: any MetricsFactory
    private let logger: Logger
    private let retries: Counter
    private let resends: Counter
    private let hedges: Counter
    private let opens: Counter

    /// Reports of the client of `service`.
    package init(service: String, metrics: any MetricsFactory, logger: Logger) {
        self.service = service
        self.metrics = metrics
        self.logger = logger.with([.peer: .text(service)])
        func counter(_ label: String) -> Counter {
            Counter(label: label, dimensions: [("service", service)], factory: metrics)
        }
        retries = counter("rpc_client_retries")
        resends = counter("rpc_client_resends")
        hedges = counter("rpc_client_hedges")
        opens = counter("rpc_client_breaker_opens")
    }

    /// A call is retried, from the retry budget.
    func retried() { retries.increment() }
    /// A call that was not processed is sent to another address.
    func resent() { resends.increment() }
    /// A hedge was sent for a slow call.
    func hedged() { hedges.increment() }

    /// Number of event loops whose breaker for `address` is open; goes up and down.
    func openBreakers(of address: String) -> Meter {
        Meter(
            label: "rpc_client_breakers_open",
            dimensions: [("service", service), ("address", address)], factory: metrics)
    }

    /// The breaker of `address` changed state.
    func breaker(_ change: CircuitBreaker.Change, of address: String) {
        switch change {
        case .opened(let wait):
            opens.increment()
            logger.warning(
                "rpc.circuit.open", "circuit breaker open: a peer fails",
                fields: [.address: .text(address), .milliseconds: .milliseconds(wait)])
        case .closed:
            logger.info(
                "rpc.circuit.closed", "circuit breaker closed: a peer works again",
                fields: [.address: .text(address)])
        }
    }

    /// The server at `address` reported a new health state.
    func health(isServing: Bool, of address: String) {
        if isServing {
            logger.info("rpc.peer.serving", "a peer is serving", fields: [.address: .text(address)])
        } else {
            logger.warning(
                "rpc.peer.not_serving", "a peer is not serving", fields: [.address: .text(address)])
        }
    }

    /// The peer's host name could not be resolved.
    func unresolved(_ target: ServiceAddress, _ error: any Error) {
        logger.warning(
            "rpc.resolve.failed", "resolving a peer's host name failed",
            fields: [.address: .text(target.description), .detail: .error(error)])
    }
}
