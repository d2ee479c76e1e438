/// Runs what takes milliseconds on the threads for computing, so that the calls of this loop do not
/// wait for it. Not for a caller that has gone while it waited for a thread.
/// - Throws: what `work` throws; `CancellationError` when the task was cancelled before.
func offLoop<Value: Sendable>(
    _ work: @Sendable () async throws -> Value
) async throws -> Value {
    try await withTaskExecutorPreference(globalConcurrentExecutor) {
        try Task.checkCancellation()
        return try await work()
    }
}
