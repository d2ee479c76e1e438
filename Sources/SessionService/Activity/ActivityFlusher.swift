import Logging
import ServiceRuntime
import Storage

/// Writes the marks of each interval to disk (S-05).
struct ActivityFlusher: Sendable {
    /// Rows in one transaction: about 2 ms, so that a refresh never waits long for it.
    private static let stepRows = 256

    let parts: SessionParts
    let logger: Logger

    /// Writes all current marks. Marks that the store does not accept are kept for the next call.
    func write() async {
        parts.activity.depart()
        while case let step = parts.activity.departed(upTo: Self.stepRows), !step.isEmpty {
            do {
                try await parts.store.write { transaction in
                    for mark in step { try transaction.noteUse(mark) }
                }
            } catch {
                logger.warning(
                    "session.activity.write.failed", "writing session activity failed",
                    fields: [.count: .count(parts.activity.count), .detail: .error(error)])
                return
            }
            parts.activity.wrote(step)
        }
    }
}

extension Transaction {
    /// Moves a session's last use forward, never back.
    func noteUse(_ mark: ActivityMark) throws {
        try execute(
            """
            UPDATE session SET used_at_ms = ?
            WHERE id = ? AND used_at_ms < ? AND ended_at_ms IS NULL
            """,
            [SQLValue(mark.at), .integer(mark.key), SQLValue(mark.at)])
    }
}
