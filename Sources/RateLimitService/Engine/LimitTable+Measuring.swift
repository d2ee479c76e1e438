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
