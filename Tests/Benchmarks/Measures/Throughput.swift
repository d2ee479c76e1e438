/// Counts how often concurrent tasks complete an operation in a second.
struct Throughput {
    /// Concurrent tasks, each of which repeats the operation.
    let workers: Int
    /// The time of the measurement, after a warm-up of a fifth of it.
    let duration: Duration

    /// Completed operations a second; `act` gets the number of its worker.
    func measure(_ act: @escaping @Sendable (Int) async throws -> Void) async throws -> Double {
        let begin = ContinuousClock.now + duration / 5
        let end = begin + duration
        let done = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    try await Self.count(from: begin, to: end) { try await act(worker) }
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(done) / (duration / .seconds(1))
    }

    private static func count(
        from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant,
        _ act: () async throws -> Void
    ) async throws -> Int {
        var done = 0
        while ContinuousClock.now < end {
            try await act()
            if (begin..<end).contains(ContinuousClock.now) { done += 1 }
        }
        return done
    }
}
