import Contracts
import ServiceRuntime

/// Runs what takes milliseconds on the threads for computing, so that the calls of this loop do not
/// wait for it. What is long, about a millisecond and more, runs at a lower priority
/// (`LowPriorityExecutor`): it would delay others there. Not for a caller that has gone while it
/// waited for a thread.
/// - Parameter bytes: the length of what is read, parsed or sealed. Without it the work is long;
///   with 0 it takes less time than its way to another thread, and runs here.
/// - Throws: what `work` throws; `CancellationError` when the task was cancelled before.
package func offLoop<Value: Sendable>(
    bytes: Int = .max, _ work: @Sendable () async throws -> Value
) async throws -> Value {
    guard bytes > 0 else {
        try Task.checkCancellation()
        return try await work()
    }
    let isLong = bytes > DocumentWork.unitBytes
    let executor: any TaskExecutor =
        isLong ? LowPriorityExecutor.shared : globalConcurrentExecutor
    return try await withTaskExecutorPreference(executor) {
        try Task.checkCancellation()
        return try await work()
    }
}
