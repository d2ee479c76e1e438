import Synchronization

/// How long each of many acts took.
final class Latencies: Sendable {
    private let taken = Mutex<[Duration]>([])

    /// Does it, and notes how long it took.
    func note(_ act: () async throws -> Void) async throws {
        let begin = ContinuousClock.now
        try await act()
        let elapsed = ContinuousClock.now - begin
        taken.withLock { $0.append(elapsed) }
    }

    /// What 99 of 100 did not take longer than, in milliseconds.
    var p99Milliseconds: Double {
        let sorted = taken.withLock { $0.sorted() }
        guard !sorted.isEmpty else { return 0 }
        return sorted[(sorted.count - 1) * 99 / 100] / .milliseconds(1)
    }
}
