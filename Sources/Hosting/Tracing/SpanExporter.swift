package import Logging
import NIOCore
package import NIOPosix
package import ServiceRuntime
import Synchronization

/// Exports spans from the queue to the collector in batches until it is cancelled. Batches that the
/// collector rejects are dropped and counted: traces are a diagnostic aid and need no durable
/// storage.
package struct SpanExporter: Sendable {
    /// The largest number of spans in one request, about 250 KB.
    package static let batchMax = 512
    /// The interval between exports.
    package static let interval = Duration.seconds(1)

    private let queue: SpanQueue
    private let client: CollectorClient
    private let service: String
    private let time: any Time
    private let logger: Logger

    /// An exporter of `service`'s spans to the collector at `address`.
    package init(
        _ queue: SpanQueue, to address: CollectorAddress, service: String,
        group: MultiThreadedEventLoopGroup, time: any Time, logger: Logger
    ) {
        self.queue = queue
        self.service = service
        self.time = time
        self.logger = logger
        client = CollectorClient(address: address, group: group)
    }

    /// Exports until cancelled.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func run() async throws {
        var isLost = false
        while true {
            try await time.sleep(for: Self.interval)
            let isTaken = await exportAll()
            // One line when exports begin to fail and one when they succeed again, instead of one a
            // second.
            if !isTaken, !isLost {
                logger.warning(
                    "tracing.export.failed", "exporting spans to the trace collector fails",
                    fields: [.address: .text(client.address.description)])
            } else if isTaken, isLost {
                logger.info(
                    "tracing.export.recovered", "the trace collector accepts spans again",
                    fields: [:])
            }
            isLost = !isTaken
        }
    }

    /// Exports all waiting spans.
    /// - Returns: False when a batch failed. The rest then waits.
    package func exportAll() async -> Bool {
        while case let batch = queue.take(Self.batchMax), !batch.isEmpty {
            guard await export(batch, timeout: CollectorClient.timeout) else { return false }
        }
        return true
    }

    /// Exports one last batch before the program ends.
    package func exportLast() async {
        let batch = queue.take(Self.batchMax)
        guard !batch.isEmpty else { return }
        _ = await export(batch, timeout: CollectorClient.lastTimeout)
    }

    private func export(_ batch: [FinishedSpan], timeout: TimeAmount) async -> Bool {
        do {
            let status = try await client.post(
                OTLPDocument.encode(batch, service: service), timeout: timeout)
            guard (200..<300).contains(status) else {
                throw CollectorClient.Failure.refused(status: status)
            }
            queue.exported(batch.count)
            return true
        } catch {
            queue.refused(batch.count)
            logger.debug(
                "tracing.batch.dropped", "a batch of spans was dropped",
                fields: [.detail: .error(error)])
            return false
        }
    }
}

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
