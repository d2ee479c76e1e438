import Logging
import ServiceRuntime

/// A task for the writer's thread.
enum WriterTask: Sendable {
    /// Run this flow in a group.
    case flow(QueuedFlow)
    /// Truncate the log, between two groups.
    case truncateLog(CheckedContinuation<Void, any Error>)
}

/// The writer's thread: takes what has arrived and commits it, until the queue is closed and empty;
/// then truncates the log.
struct StoreWriter {
    let queue: WorkQueue<WriterTask>
    let limits: StoreLimits
    let metrics: StoreMetrics
    let turns: WriterWatchdog
    let logger: Logger
    var commits: GroupCommit

    /// Runs until the store closes.
    mutating func work() {
        var expected = 1
        while true {
            let gather = min(expected, limits.groupFlowsMax)
            let tasks = queue.take(
                upTo: limits.groupFlowsMax, gather: gather, patience: limits.gatheringMax)
            if tasks.isEmpty { break }
            turns.begin()
            defer { turns.end() }
            let flows = tasks.compactMap { if case .flow(let flow) = $0 { flow } else { nil } }
            // Decays slowly: after a group of one between two bursts, several flows are still
            // expected.
            expected = max(1, flows.count, expected * 3 / 4)
            commit(flows)
            for case .truncateLog(let continuation) in tasks { truncateLog(continuation) }
        }
        finish()
    }

    private mutating func commit(_ flows: [QueuedFlow]) {
        if flows.isEmpty { return }
        metrics.measure(flows: flows.count, waiting: queue.count) { commits.commit(flows) }
    }

    private mutating func truncateLog(_ continuation: CheckedContinuation<Void, any Error>) {
        do {
            try commits.openConnection().truncateLog()
            continuation.resume()
        } catch {
            continuation.resume(throwing: StoreTrouble.answer(to: error))
        }
    }

    private mutating func finish() {
        do {
            try commits.connection?.truncateLog()
        } catch {
            // No data is lost: the log is read at the next start.
            logger.warning(
                "store.checkpoint.failed", "the final WAL checkpoint failed",
                fields: [.detail: .error(error)])
        }
        commits.connection = nil
    }
}
