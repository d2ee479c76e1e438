package import Contracts
package import Logging
package import ServiceRuntime

extension LimitTable {
    /// Creates a table whose limits all have one rule, for benchmarks and for tests in other
    /// modules.
    /// - Parameter folder: the folder of its journal; nil for a table that a restart clears.
    /// - Precondition: the rule has no `flaw`.
    /// - Throws: `JournalError`, `StoreError`, `SQLError`.
    package convenience init(
        statesMax: Int, rule: LimitRule, folder: String?, at now: Timestamp, logger: Logger
    ) throws {
        let counting = CountingRule(rule)
        guard let folder else {
            self.init(statesMax: statesMax) { _ in counting }
            return
        }
        try self.init(
            statesMax: statesMax, journal: LimitJournalPlace(folder: folder, name: "limits"),
            at: now, logger: logger
        ) { _ in counting }
    }
}

extension RateLimitService {
    /// For benchmarks: charges each of `count` subjects of a limit once. Their names are the
    /// numbers below `count` in eight digits. Returns once they are on disk.
    /// - Throws: `rpc/unavailable` if the disk accepts no writes.
    package func fill(_ limit: LimitName, subjects count: Int) async throws {
        let rule = limits.policies.value.rule(limit)
        let subjects = limits.subjects
        let now = limits.time.now()
        for subject in 0..<count {
            let digits = "\(subject)"
            let name = String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
            let request = subjects.request(limit, name, rule, subjects.ring, at: now)
            _ = subjects.table.decide(.consume, request, at: now)
        }
        try await subjects.table.persisted([])
    }
}
