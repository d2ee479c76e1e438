extension Person {
    /// Pause between two sign-ins: far below the capacity, so that the p99 is that of the calls and
    /// not of a queue.
    private static let pause = Duration.milliseconds(50)

    /// - Returns: the p99 of sign-ins, one after the other, while `body` runs, in milliseconds.
    static func signInsP99(
        of people: [Person], while body: () async throws -> Void
    ) async throws -> Double {
        let (latencies, over) = (Latencies(), Flag())
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    for person in people {
                        if over.isRaised { return }
                        try await latencies.record { _ = try await person.signIn() }
                        try await Task.sleep(for: Self.pause)
                    }
                }
            }
            try await body()
            over.raise()
            try await group.waitForAll()
            return latencies.p99Milliseconds
        }
    }
}
