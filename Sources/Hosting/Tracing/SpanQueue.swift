package import ServiceRuntime
import Synchronization

/// The queue of spans for the collector. When the collector is slow or unreachable, spans are
/// dropped and counted. Memory stays bounded, and no call waits.
package final class SpanQueue: MetricSource {
    /// The largest number of waiting spans: eight batches, about 2 MB.
    package static let spansMax = 4_096

    private let state = Mutex(State())

    private struct State {
        var spans: [FinishedSpan] = []
        var exported: Int = 0
        var overflowed: Int = 0
        var refused: Int = 0
    }

    /// An empty queue.
    package init() {}

    /// Adds a span, or counts it as dropped when the queue is full.
    func add(_ span: FinishedSpan) {
        state.withLock { state in
            if state.spans.count < Self.spansMax {
                state.spans.append(span)
            } else {
                state.overflowed += 1
            }
        }
    }

    /// Removes the oldest spans, `count` at most.
    package func take(_ count: Int) -> [FinishedSpan] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(count))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }

    /// Counts spans that the collector has accepted.
    func exported(_ count: Int) { state.withLock { $0.exported += count } }

    /// Counts spans that the collector has rejected. They are dropped.
    func refused(_ count: Int) { state.withLock { $0.refused += count } }

    /// Writes the families `trace_spans_…`.
    package func write(to page: inout MetricsPage) {
        let (waiting, exported, overflowed, refused) = state.withLock {
            ($0.spans.count, $0.exported, $0.overflowed, $0.refused)
        }
        page.gauge("trace_spans_waiting", Double(waiting))
        page.counter("trace_spans_exported_total", Double(exported))
        page.counter(
            "trace_spans_dropped_total", Double(overflowed), [("reason", "queue-full")])
        page.counter("trace_spans_dropped_total", Double(refused), [("reason", "collector")])
    }
}
