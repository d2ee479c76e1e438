import TestSupport
import Testing

extension SystemTests {
    /// The second half of a long run shows whether session's memory stops growing.
    @Suite("Memory that ended sessions leave behind", .timeLimit(.minutes(8)))
    struct EndedSessionMemory {
        /// A whole run continues past the point where everything that is bounded by count is full.
        private static let count = SoakRounds.isLong ? 40_000 : 4_000
        private static let callers = 20
        /// `Sources/SessionService/README.md`, "Memory", computes 1.5 KB until the caches are full,
        /// and nothing from then on. A run of a few thousand also includes the allocator's large
        /// steps.
        private static let eachBytesMax = SoakRounds.isLong ? 3 << 10 : 8 << 10

        @Test("B21: an ended session leaves pages of its rows and its cached token, both bounded")
        func ended() async throws {
            try await Cluster.with { cluster in
                let maker = try SessionMaker(cluster)
                defer { maker.close() }
                let session = try #require(cluster.processes["postern-session"])
                // Memory that the process allocates once.
                try await comeAndGo(Self.count / 8, maker)
                let before = try ProcessMemory.resident(session)
                try await comeAndGo(Self.count / 2, maker)
                let between = try ProcessMemory.resident(session)
                try await comeAndGo(Self.count / 2, maker)
                let after = try ProcessMemory.resident(session)
                let each = (after - before) / Self.count
                Figures.tell("session-rss-before", Double(before) / 1_048_576, "MiB")
                Figures.tell("session-rss-after", Double(after) / 1_048_576, "MiB")
                Figures.tell("session-rss-per-ended", Double(each), "B")
                Figures.tell(
                    "session-rss-per-ended-late", Double(2 * (after - between) / Self.count), "B")
                #expect(each <= Self.eachBytesMax, "\(before) B became \(after) B")
            }
        }

        /// Opens, validates and ends `count` sessions, each of another account.
        private func comeAndGo(_ count: Int, _ maker: SessionMaker) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask {
                        for _ in 0..<count / Self.callers {
                            let tokens = try await maker.open()
                            let isValid = try await maker.isValid(tokens)
                            #expect(isValid)
                            try await maker.end(tokens)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
