import Synchronization

/// The times of many operations.
final class Latencies: Sendable {
    private let taken = Mutex<[Duration]>([])

    /// Runs an operation and records its time.
    func record(_ act: () async throws -> Void) async throws {
        let begin = ContinuousClock.now
        try await act()
        let elapsed = ContinuousClock.now - begin
        taken.withLock { $0.append(elapsed) }
    }

    /// The 99th percentile, in milliseconds.
    var p99Milliseconds: Double {
        let sorted = taken.withLock { $0.sorted() }
        guard !sorted.isEmpty else { return 0 }
        return sorted[(sorted.count - 1) * 99 / 100] / .milliseconds(1)
    }
}
