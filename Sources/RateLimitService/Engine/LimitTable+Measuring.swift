package import Logging
package import ServiceRuntime

extension LimitTable {
    /// A table of limits that all have one rule, for measures and checks from outside.
    /// - Parameter folder: where its journal is; without it a restart forgets.
    /// - Precondition: the rule has no `flaw`.
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
