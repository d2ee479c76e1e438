package import Logging
import NIOCore
package import NIOPosix
package import ServiceRuntime

/// Exports spans from the queue to the collector in batches until it is cancelled. Batches that the
/// collector rejects are dropped and counted: traces are a diagnostic aid and need no durable
/// storage.
package struct SpanExporter: Sendable {
    /// The largest number of spans in one request, about 250 KB.
    package static let batchMax = 512
    /// The interval between exports.
    package static let rhythm = Duration.seconds(1)

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
            try await time.sleep(for: Self.rhythm)
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
            guard await export(batch, patience: CollectorClient.patience) else { return false }
        }
        return true
    }

    /// Exports one last batch before the program ends.
    package func exportLast() async {
        let batch = queue.take(Self.batchMax)
        guard !batch.isEmpty else { return }
        _ = await export(batch, patience: CollectorClient.lastPatience)
    }

    private func export(_ batch: [FinishedSpan], patience: TimeAmount) async -> Bool {
        do {
            let status = try await client.post(
                OTLPDocument.encode(batch, service: service), patience: patience)
            guard (200..<300).contains(status) else { throw CollectorRefusal(status: status) }
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

/// The collector responded, but rejected the spans.
private struct CollectorRefusal: Error {
    let status: Int
}
