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
        let counts = counts[method]
        let began = time.uptime()
        counts.began()
        let (traced, context) =
            tracing?.made(method, to: service, context, at: began) ?? (nil, context)
        do {
            let answer = try await body(context)
            end(counts, traced, .ok, began, time.uptime())
            return answer
        } catch {
            end(counts, traced, StatusCode(answering: error), began, time.uptime())
            throw error
        }
    }

    private func end(
        _ counts: ClientMethodCounts, _ traced: TracedCall?, _ status: StatusCode,
        _ began: Duration, _ ended: Duration
    ) {
        counts.ended(status, took: (ended - began).nanoseconds)
        traced?.end(status, at: ended)
    }
}
