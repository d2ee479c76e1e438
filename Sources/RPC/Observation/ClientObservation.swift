package import ServiceRuntime
import Synchronization

/// Metrics and traces of the calls that a program's clients make: calls and durations by target,
/// method and status, and a span for each call if there is a tracer. One instance serves all
/// clients of a program.
package final class ClientObservation: MetricSource {
    private let tracing: CallTracing?
    private let targets = Mutex<[(service: String, counts: TargetCounts)]>([])

    /// The observation of one program's clients; without `tracing` there are no spans and no cost.
    package init(tracing: CallTracing? = nil) {
        self.tracing = tracing
    }

    /// The part of one target; called once for each client.
    func target(_ service: String) -> ObservedTarget {
        let counts = targets.withLock { targets in
            if let known = targets.first(where: { $0.service == service }) { return known.counts }
            let counts = TargetCounts()
            targets.append((service, counts))
            return counts
        }
        return ObservedTarget(service: service, counts: counts, tracing: tracing)
    }

    /// Writes the metric families `rpc_client_…`.
    package func write(to page: inout MetricsPage) {
        for (service, counts) in targets.withLock({ $0 }) {
            counts.forEach { method, sums in
                sums.write("rpc_client", [("target", service), ("method", method)], to: &page)
            }
        }
    }
}

/// The calls to one target.
struct ObservedTarget: Sendable {
    let service: String
    let counts: TargetCounts
    let tracing: CallTracing?

    /// Makes a call with `body`, which receives the context for the call.
    /// - Throws: what `body` throws.
    func call<Answer>(
        _ method: String, _ context: CallContext, _ time: any Time,
        _ body: (CallContext) async throws -> Answer
    ) async throws -> Answer {
        let (observed, context) = begin(method, context, time)
        do {
            let answer = try await body(context)
            observed.end(.ok, time)
            return answer
        } catch {
            observed.end(StatusCode(answering: error), time)
            throw error
        }
    }

    /// Starts a call: returns its counters and span, and the context for the call.
    func begin(
        _ method: String, _ context: CallContext, _ time: any Time
    ) -> (ObservedClientCall, CallContext) {
        let (counts, began) = (counts[method], time.uptime())
        counts.began()
        let (traced, context) =
            tracing?.made(method, to: service, context, at: began) ?? (nil, context)
        return (ObservedClientCall(counts: counts, traced: traced, began: began), context)
    }
}

/// The metrics and trace of a running client call; must be ended once.
struct ObservedClientCall: Sendable {
    fileprivate let counts: ClientMethodCounts
    fileprivate let traced: TracedCall?
    fileprivate let began: Duration

    func end(_ status: StatusCode, _ time: any Time) {
        let ended = time.uptime()
        counts.ended(status, took: (ended - began).nanoseconds)
        traced?.end(status, at: ended)
    }
}
