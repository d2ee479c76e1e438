/// Counts how often something can be done in a second by many at once.
struct Throughput {
    /// Tasks that do it, each again and again.
    let workers: Int
    /// How long, after a warm-up of a fifth of it.
    let duration: Duration

    /// What `act` gets done in a second; it is told which worker does it.
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
