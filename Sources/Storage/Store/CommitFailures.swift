import Logging
import ServiceRuntime

/// The failed commits of a thread that writes, since its last one that worked: for health, and for
/// the operator's log.
struct CommitFailures {
    /// What fails, for health.
    static let source = "store"

    let writes: PartCondition
    let logger: Logger
    private var count = 0

    /// None yet.
    init(writes: PartCondition, logger: Logger) {
        (self.writes, self.logger) = (writes, logger)
    }

    /// Logs the first failure, the second, the fourth and so on: a log on the same full disk must
    /// not be flooded.
    mutating func record(_ error: any Error, flows: Int) {
        writes.fail(Self.source, StoreFailure.ofDisk(error) ?? "commits fail")
        count += 1
        guard count.isLoggedFailure else { return }
        logger.error(
            "store.commit.failed", "commits fail",
            fields: [.attempt: .count(count), .count: .count(flows), .detail: .error(error)])
    }

    /// A commit has worked.
    /// - Returns: how many had failed before it.
    mutating func end() -> Int {
        defer { count = 0 }
        return count
    }
}
