package import ServiceRuntime
import Synchronization

/// What a program's clients show of the calls they make: by target, method and status, with
/// durations; and a span for each where a tracer is set up. One for all clients of a program.
package final class ClientObservation: MetricSource {
    private let tracing: CallTracing?
    private let targets = Mutex<[(service: String, counts: TargetCounts)]>([])

    /// An observation of one program's clients; `tracing` nil: no spans, at no cost.
    package init(tracing: CallTracing? = nil) {
        self.tracing = tracing
    }

    /// The part of one target; asked for once, when a client is made.
    func target(_ service: String) -> ObservedTarget {
        let counts = targets.withLock { targets in
            if let known = targets.first(where: { $0.service == service }) { return known.counts }
            let counts = TargetCounts()
            targets.append((service, counts))
            return counts
        }
        return ObservedTarget(service: service, counts: counts, tracing: tracing)
    }

    /// Writes the families `rpc_client_…`.
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

    /// Makes a call by `body`, which is given the context to make it with.
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

    /// A call begins: what counts it, and the context to make it with.
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

/// A call that a client has begun, as its metrics and traces see it; to be ended once.
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
